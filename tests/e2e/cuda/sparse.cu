/* cuSPARSE against loops over dense matrices on the host: products in every format, triangular systems, incomplete
 * factors, conversions, and what must fail. Prints the number of checks. */
#include <cusparse.h>
#include <cmath>
#include "library_checks.h"

#define OK(call) CHECK((call) == CUSPARSE_STATUS_SUCCESS)

/* Types of elements and indices as cuSPARSE names them. */
template <class T> struct Name;
template <> struct Name<float> { static const cudaDataType value = CUDA_R_32F; };
template <> struct Name<double> { static const cudaDataType value = CUDA_R_64F; };
template <> struct Name<std::complex<float>> { static const cudaDataType value = CUDA_C_32F; };
template <> struct Name<std::complex<double>> { static const cudaDataType value = CUDA_C_64F; };
template <class I> static cusparseIndexType_t index_name() { return sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I; }

/* Sums of products of such numbers are exact in every type, but for division. */
static double exact_number()
{
    static unsigned seed = 12345;
    seed = seed * 1664525u + 1013904223u;
    return (double)(int)(seed >> 20) / 512 - 4;
}
template <class T> static T element(double x, double) { return (T)x; }
template <> std::complex<float> element(double x, double y) { return {(float)x, (float)y}; }
template <> std::complex<double> element(double x, double y) { return {x, y}; }
template <class T> static std::vector<T> numbers(size_t n)
{
    std::vector<T> x(n);
    for (T &z : x) {
        const double re = exact_number(), im = exact_number();
        z = element<T>(re, im);
    }
    return x;
}
static Number conjugate(Number z, cusparseOperation_t op) { return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(z) : z; }

/* A matrix of `rows` x `columns`, a third of it not zero, dense by rows and in one format. */
template <class T, class I> struct Sparse {
    int rows, columns;
    std::vector<T> dense;
    std::vector<I> first, second;
    std::vector<T> values;
    Device<I> *a, *b;
    Device<T> *v;
    cusparseSpMatDescr_t m;
    Sparse(int r, int c, cusparseFormat_t format, int base) : rows(r), columns(c), dense(numbers<T>(r * c))
    {
        for (int i = 0; i < r * c; i++)
            if ((i * 7 + i / c) % 3) dense[i] = T();
        const bool by_column = format == CUSPARSE_FORMAT_CSC;
        for (int i = 0; i < (by_column ? c : r); i++) {
            if (format != CUSPARSE_FORMAT_COO) first.push_back((I)values.size() + base);
            for (int j = 0; j < (by_column ? r : c); j++) {
                const T z = by_column ? dense[j * c + i] : dense[i * c + j];
                if (z == T()) continue;
                if (format == CUSPARSE_FORMAT_COO) first.push_back(i + base);
                second.push_back(j + base), values.push_back(z);
            }
        }
        if (format != CUSPARSE_FORMAT_COO) first.push_back((I)values.size() + base);
        a = new Device<I>(first), b = new Device<I>(second), v = new Device<T>(values);
        const cusparseIndexBase_t from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
        if (format == CUSPARSE_FORMAT_CSR)
            OK(cusparseCreateCsr(&m, r, c, values.size(), a->p, b->p, v->p, index_name<I>(), index_name<I>(), from, Name<T>::value));
        if (format == CUSPARSE_FORMAT_CSC)
            OK(cusparseCreateCsc(&m, r, c, values.size(), a->p, b->p, v->p, index_name<I>(), index_name<I>(), from, Name<T>::value));
        if (format == CUSPARSE_FORMAT_COO)
            OK(cusparseCreateCoo(&m, r, c, values.size(), a->p, b->p, v->p, index_name<I>(), from, Name<T>::value));
    }
    ~Sparse()
    {
        OK(cusparseDestroySpMat(m));
        delete a, delete b, delete v;
    }
    Number at(int i, int j, cusparseOperation_t op) const
    {
        return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? Number(dense[i * columns + j]) : conjugate(Number(dense[j * columns + i]), op);
    }
};
static const cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                                 CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

template <class T, class I> static void products(cusparseHandle_t h, cusparseFormat_t format, int base)
{
    const Sparse<T, I> s(7, 11, format, base);
    const T alpha = element<T>(2, 1), beta = element<T>(-1, 0.5);
    const cudaDataType type = Name<T>::value;
    size_t bytes = 0;
    void *buffer;
    for (cusparseOperation_t op : operations) {
        const bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
        const int rows = turned ? 11 : 7, inner = turned ? 7 : 11, columns = 3;
        const std::vector<T> x = numbers<T>(inner * columns), y = numbers<T>(rows * columns);
        Device<T> u(x), v(y), w(y);
        cusparseDnVecDescr_t from, to;
        cusparseDnMatDescr_t b, c;
        OK(cusparseCreateDnVec(&from, inner, u.p, type));
        OK(cusparseCreateDnVec(&to, rows, v.p, type));
        OK(cusparseSpMV_bufferSize(h, op, &alpha, s.m, from, &beta, to, type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        CHECK(bytes > 0 && !cudaMalloc(&buffer, bytes));
        OK(cusparseSpMV(h, op, &alpha, s.m, from, &beta, to, type, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
        OK(cusparseCreateDnMat(&b, columns, inner, inner, u.p, type, CUSPARSE_ORDER_ROW)); /* transposed below */
        OK(cusparseCreateDnMat(&c, rows, columns, rows, w.p, type, CUSPARSE_ORDER_COL));
        OK(cusparseSpMM(h, op, CUSPARSE_OPERATION_TRANSPOSE, &alpha, s.m, b, &beta, c, type, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
        const std::vector<T> got = v.back(), all = w.back();
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                Number sum = 0;
                for (int k = 0; k < inner; k++) sum += s.at(i, k, op) * Number(x[j * inner + k]);
                const Number wanted = Number(alpha) * sum + Number(beta) * Number(y[j * rows + i]);
                CHECK(std::abs(Number(all[j * rows + i]) - wanted) < 1e-4);
                if (j == 0) CHECK(got[i] == all[i]);
            }
        OK(cusparseDestroyDnVec(from));
        OK(cusparseDestroyDnVec(to));
        OK(cusparseDestroyDnMat(b));
        OK(cusparseDestroyDnMat(c));
        CHECK(!cudaFree(buffer));
    }
}

static void vectors(cusparseHandle_t h)
{
    const std::vector<double> x = {1.5, -2, 4}, y = {1, 2, 3, 4, 5, 6};
    const std::vector<int> at = {5, 0, 3};
    Device<double> u(x), v(y), out((size_t)1);
    Device<int> places(at);
    cusparseSpVecDescr_t s;
    cusparseDnVecDescr_t d;
    double alpha = 2, beta = 3, dot = 0;
    OK(cusparseCreateSpVec(&s, 6, 3, places.p, u.p, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    OK(cusparseCreateDnVec(&d, 6, v.p, CUDA_R_64F));
    OK(cusparseSpVV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, s, d, &dot, CUDA_R_64F, NULL));
    CHECK(dot == 1.5 * 6 - 2 * 1 + 4 * 4);
    OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE));
    OK(cusparseSpVV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, s, d, out.p, CUDA_R_64F, NULL));
    OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST));
    CHECK(out.back()[0] == dot);
    OK(cusparseAxpby(h, &alpha, s, &beta, d));
    CHECK(v.back() == std::vector<double>({-1, 6, 9, 20, 15, 21}));
    OK(cusparseGather(h, d, s));
    CHECK(u.back() == std::vector<double>({21, -1, 20}));
    CHECK(!cudaMemcpy(u.p, x.data(), sizeof(double) * 3, cudaMemcpyHostToDevice));
    OK(cusparseScatter(h, s, d));
    CHECK(v.back() == std::vector<double>({-2, 6, 9, 4, 15, 1.5}));
    OK(cusparseDestroySpVec(s));
    OK(cusparseDestroyDnVec(d));
}

/* The product of two sparse matrices, and one dense product at the places of a sparse matrix. */
static void sparse_products(cusparseHandle_t h)
{
    const Sparse<double, int> a(6, 8, CUSPARSE_FORMAT_CSR, 0), b(8, 5, CUSPARSE_FORMAT_CSR, 1);
    const double alpha = 2, beta = 0;
    const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    Device<int> offsets((size_t)7);
    cusparseSpMatDescr_t c;
    cusparseSpGEMMDescr_t product;
    size_t bytes;
    void *work, *room;
    int64_t rows, columns, nnz;
    OK(cusparseCreateCsr(&c, 6, 5, 0, offsets.p, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    OK(cusparseSpGEMM_createDescr(&product));
    OK(cusparseSpGEMM_workEstimation(h, none, none, &alpha, a.m, b.m, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, product, &bytes, NULL));
    CHECK(!cudaMalloc(&work, bytes));
    OK(cusparseSpGEMM_workEstimation(h, none, none, &alpha, a.m, b.m, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, product, &bytes, work));
    OK(cusparseSpGEMM_compute(h, none, none, &alpha, a.m, b.m, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, product, &bytes, NULL));
    CHECK(!cudaMalloc(&room, bytes));
    OK(cusparseSpGEMM_compute(h, none, none, &alpha, a.m, b.m, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, product, &bytes, room));
    OK(cusparseSpMatGetSize(c, &rows, &columns, &nnz));
    Device<int> indices((size_t)nnz);
    Device<double> values((size_t)nnz), dense((size_t)30);
    OK(cusparseCsrSetPointers(c, offsets.p, indices.p, values.p));
    OK(cusparseSpGEMM_copy(h, none, none, &alpha, a.m, b.m, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, product));
    cusparseDnMatDescr_t d;
    OK(cusparseCreateDnMat(&d, 6, 5, 5, dense.p, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    OK(cusparseSparseToDense(h, c, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL));
    const std::vector<double> got = dense.back();
    for (int i = 0; i < 30; i++) {
        Number sum = 0;
        for (int k = 0; k < 8; k++) sum += a.at(i / 5, k, none) * b.at(k, i % 5, none);
        CHECK(got[i] == 2 * sum.real());
    }
    const double one = 1;
    const std::vector<double> u = numbers<double>(6 * 4), v = numbers<double>(4 * 8);
    Device<double> left(u), right(v);
    cusparseDnMatDescr_t l, r;
    OK(cusparseCreateDnMat(&l, 6, 4, 4, left.p, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    OK(cusparseCreateDnMat(&r, 4, 8, 8, right.p, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    OK(cusparseSDDMM(h, none, none, &alpha, l, r, &one, a.m, CUDA_R_64F, CUSPARSE_SDDMM_ALG_DEFAULT, NULL));
    const std::vector<double> at = a.v->back();
    for (int i = 0, n = 0; i < 48; i++) {
        if (a.dense[i] == 0) continue;
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += u[i / 8 * 4 + k] * v[k * 8 + i % 8];
        CHECK(at[n++] == 2 * sum + a.dense[i]);
    }
    OK(cusparseSpGEMM_destroyDescr(product));
    OK(cusparseDestroySpMat(c));
    OK(cusparseDestroyDnMat(d));
    OK(cusparseDestroyDnMat(l));
    OK(cusparseDestroyDnMat(r));
}

/* A matrix of five diagonals, as of a grid of 6 x 6 points. */
struct Grid {
    std::vector<int> offsets, columns;
    std::vector<double> values;
    Grid()
    {
        for (int i = 0; i < 36; i++) {
            offsets.push_back((int)columns.size());
            const int neighbours[] = {i - 6, i % 6 ? i - 1 : -1, i, i % 6 < 5 ? i + 1 : -1, i + 6 < 36 ? i + 6 : -1};
            for (int j : neighbours)
                if (j >= 0) columns.push_back(j), values.push_back(j == i ? 4.5 : -1);
        }
        offsets.push_back((int)columns.size());
    }
};

/* Conjugate gradients with incomplete factors, as NVIDIA's samples do it: products and triangular systems must agree. */
template <bool is_lu> static void preconditioned(cusparseHandle_t h)
{
    const Grid g;
    const int n = 36, nnz = (int)g.values.size();
    const std::vector<double> right = numbers<double>(n);
    Device<int> offsets(g.offsets), columns(g.columns);
    Device<double> values(g.values), factors(g.values), r(right), y((size_t)n), z((size_t)n), p((size_t)n), q((size_t)n);
    cusparseMatDescr_t plain;
    OK(cusparseCreateMatDescr(&plain));
    OK(cusparseSetMatIndexBase(plain, CUSPARSE_INDEX_BASE_ZERO));
    int bytes = 0, position = 7;
    if (is_lu) {
        csrilu02Info_t info;
        OK(cusparseCreateCsrilu02Info(&info));
        OK(cusparseDcsrilu02_bufferSize(h, n, nnz, plain, factors.p, offsets.p, columns.p, info, &bytes));
        OK(cusparseDcsrilu02_analysis(h, n, nnz, plain, factors.p, offsets.p, columns.p, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
        OK(cusparseDcsrilu02(h, n, nnz, plain, factors.p, offsets.p, columns.p, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
        OK(cusparseXcsrilu02_zeroPivot(h, info, &position));
        OK(cusparseDestroyCsrilu02Info(info));
    } else {
        csric02Info_t info;
        OK(cusparseCreateCsric02Info(&info));
        OK(cusparseDcsric02_bufferSize(h, n, nnz, plain, factors.p, offsets.p, columns.p, info, &bytes));
        OK(cusparseDcsric02_analysis(h, n, nnz, plain, factors.p, offsets.p, columns.p, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
        OK(cusparseDcsric02(h, n, nnz, plain, factors.p, offsets.p, columns.p, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
        OK(cusparseXcsric02_zeroPivot(h, info, &position));
        OK(cusparseDestroyCsric02Info(info));
    }
    CHECK(position == -1 && bytes > 0);
    OK(cusparseDestroyMatDescr(plain));
    cusparseSpMatDescr_t a, lower, upper;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t unit = is_lu ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT, plain_diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    const cusparseIndexType_t index = CUSPARSE_INDEX_32I;
    OK(cusparseCreateCsr(&a, n, n, nnz, offsets.p, columns.p, values.p, index, index, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    OK(cusparseCreateCsr(&lower, n, n, nnz, offsets.p, columns.p, factors.p, index, index, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    OK(cusparseCreateCsr(&upper, n, n, nnz, offsets.p, columns.p, factors.p, index, index, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    OK(cusparseSpMatSetAttribute(lower, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    OK(cusparseSpMatSetAttribute(lower, CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit));
    if (is_lu) fill = CUSPARSE_FILL_MODE_UPPER; /* else the lower one transposed is the upper one */
    OK(cusparseSpMatSetAttribute(upper, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    OK(cusparseSpMatSetAttribute(upper, CUSPARSE_SPMAT_DIAG_TYPE, &plain_diagonal, sizeof plain_diagonal));
    const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE, second = is_lu ? none : CUSPARSE_OPERATION_TRANSPOSE;
    cusparseDnVecDescr_t vr, vy, vz, vp, vq;
    OK(cusparseCreateDnVec(&vr, n, r.p, CUDA_R_64F));
    OK(cusparseCreateDnVec(&vy, n, y.p, CUDA_R_64F));
    OK(cusparseCreateDnVec(&vz, n, z.p, CUDA_R_64F));
    OK(cusparseCreateDnVec(&vp, n, p.p, CUDA_R_64F));
    OK(cusparseCreateDnVec(&vq, n, q.p, CUDA_R_64F));
    cusparseSpSVDescr_t down, up;
    size_t size;
    const double one = 1, zero = 0;
    OK(cusparseSpSV_createDescr(&down));
    OK(cusparseSpSV_createDescr(&up));
    OK(cusparseSpSV_bufferSize(h, none, &one, lower, vr, vy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, down, &size));
    OK(cusparseSpSV_analysis(h, none, &one, lower, vr, vy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, down, NULL));
    OK(cusparseSpSV_analysis(h, second, &one, upper, vy, vz, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, up, NULL));
    std::vector<double> x(n, 0.0), rest = right, direction;
    double before = 0, first = 0, last = 0;
    int rounds = 0;
    do {
        OK(cusparseSpSV_solve(h, none, &one, lower, vr, vy, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, down));
        OK(cusparseSpSV_solve(h, second, &one, upper, vy, vz, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, up));
        const std::vector<double> s = z.back();
        double now = 0, along = 0;
        for (int i = 0; i < n; i++) now += rest[i] * s[i];
        if (rounds == 0) direction = s;
        else
            for (int i = 0; i < n; i++) direction[i] = s[i] + now / before * direction[i];
        before = now;
        CHECK(!cudaMemcpy(p.p, direction.data(), n * sizeof(double), cudaMemcpyHostToDevice));
        OK(cusparseSpMV(h, none, &one, a, vp, &zero, vq, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
        const std::vector<double> image = q.back();
        for (int i = 0; i < n; i++) along += direction[i] * image[i];
        last = 0;
        for (int i = 0; i < n; i++) x[i] += now / along * direction[i], rest[i] -= now / along * image[i], last += rest[i] * rest[i];
        if (rounds++ == 0) first = last;
        CHECK(!cudaMemcpy(r.p, rest.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    } while (last > 1e-24 && rounds < 50);
    CHECK(rounds < 16 && first > last);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = g.offsets[i]; k < g.offsets[i + 1]; k++) sum += g.values[k] * x[g.columns[k]];
        CHECK(std::fabs(sum - right[i]) < 1e-10);
    }
    OK(cusparseSpSV_destroyDescr(down));
    OK(cusparseSpSV_destroyDescr(up));
    const cusparseSpMatDescr_t matrices[] = {a, lower, upper};
    const cusparseDnVecDescr_t all[] = {vr, vy, vz, vp, vq};
    for (cusparseSpMatDescr_t m : matrices) OK(cusparseDestroySpMat(m));
    for (cusparseDnVecDescr_t v : all) OK(cusparseDestroyDnVec(v));
}

static void conversions(cusparseHandle_t h)
{
    const Sparse<float, int> s(5, 6, CUSPARSE_FORMAT_CSR, 0);
    const int nnz = (int)s.values.size();
    Device<int> rows((size_t)nnz), offsets((size_t)6), csc_offsets((size_t)7), csc_rows((size_t)nnz);
    Device<float> csc_values((size_t)nnz), dense((size_t)30);
    size_t bytes;
    OK(cusparseXcsr2coo(h, s.a->p, nnz, 5, rows.p, CUSPARSE_INDEX_BASE_ZERO));
    OK(cusparseXcoo2csr(h, rows.p, nnz, 5, offsets.p, CUSPARSE_INDEX_BASE_ZERO));
    CHECK(offsets.back() == s.first);
    OK(cusparseCsr2cscEx2_bufferSize(h, 5, 6, nnz, s.v->p, s.a->p, s.b->p, csc_values.p, csc_offsets.p, csc_rows.p, CUDA_R_32F,
                                     CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, &bytes));
    OK(cusparseCsr2cscEx2(h, 5, 6, nnz, s.v->p, s.a->p, s.b->p, csc_values.p, csc_offsets.p, csc_rows.p, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC,
                          CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, NULL));
    cusparseSpMatDescr_t csc, back;
    cusparseDnMatDescr_t d;
    OK(cusparseCreateCsc(&csc, 5, 6, nnz, csc_offsets.p, csc_rows.p, csc_values.p, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    OK(cusparseCreateDnMat(&d, 5, 6, 6, dense.p, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    OK(cusparseSparseToDense(h, csc, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL));
    CHECK(dense.back() == s.dense);
    Device<int> again((size_t)6), columns((size_t)nnz);
    Device<float> values((size_t)nnz);
    OK(cusparseCreateCsr(&back, 5, 6, 0, again.p, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    OK(cusparseDenseToSparse_analysis(h, d, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL));
    int64_t m, n, found;
    OK(cusparseSpMatGetSize(back, &m, &n, &found));
    CHECK(found == nnz);
    OK(cusparseCsrSetPointers(back, again.p, columns.p, values.p));
    OK(cusparseDenseToSparse_convert(h, d, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, NULL));
    CHECK(again.back() == s.first && columns.back() == s.second && values.back() == s.values);
    const std::vector<int> shuffled_rows = {2, 0, 2, 1}, shuffled = {1, 4, 0, 3};
    Device<int> i(shuffled_rows), j(shuffled), permutation((size_t)4);
    OK(cusparseCreateIdentityPermutation(h, 4, permutation.p));
    OK(cusparseXcoosortByRow(h, 3, 5, 4, i.p, j.p, permutation.p, NULL));
    CHECK(i.back() == std::vector<int>({0, 1, 2, 2}) && j.back() == std::vector<int>({4, 3, 0, 1}));
    CHECK(permutation.back() == std::vector<int>({1, 3, 2, 0}));
    cusparseMatDescr_t plain;
    const std::vector<int> ends = {0, 2, 4}, unsorted = {3, 1, 2, 0};
    Device<int> of_rows(ends), k(unsorted);
    OK(cusparseCreateMatDescr(&plain));
    OK(cusparseXcsrsort(h, 2, 4, 4, plain, of_rows.p, k.p, NULL, NULL));
    CHECK(k.back() == std::vector<int>({1, 3, 0, 2}));
    OK(cusparseDestroyMatDescr(plain));
    OK(cusparseDestroySpMat(csc));
    OK(cusparseDestroySpMat(back));
    OK(cusparseDestroyDnMat(d));
}

/* A captured product happens at each launch, with the descriptors and numbers that it was captured with. */
static void captured(cusparseHandle_t h)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cusparseDnVecDescr_t u, v;
    Device<float> x(std::vector<float>{1, 2, 3, 4}), y(std::vector<float>(4, 0.0f)), z(std::vector<float>(4, 0.0f));
    const Sparse<float, int> s(4, 4, CUSPARSE_FORMAT_CSR, 0);
    const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    float factor = 1, zero = 0;
    OK(cusparseCreateDnVec(&u, 4, x.p, CUDA_R_32F));
    OK(cusparseCreateDnVec(&v, 4, z.p, CUDA_R_32F));
    OK(cusparseSpMV(h, none, &factor, s.m, u, &zero, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    OK(cusparseDnVecSetValues(v, y.p));
    CHECK(!cudaStreamCreate(&stream) && !cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cusparseSetStream(h, stream));
    OK(cusparseSpMV(h, none, &factor, s.m, u, &zero, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    CHECK(!cudaStreamEndCapture(stream, &graph) && !cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
    OK(cusparseSetStream(h, 0));
    OK(cusparseDnVecSetValues(v, x.p));
    factor = 5;
    CHECK(y.back() == std::vector<float>(4, 0.0f));
    CHECK(!cudaGraphLaunch(ready, 0) && !cudaDeviceSynchronize() && y.back() == z.back() && x.back()[3] == 4);
    OK(cusparseDestroyDnVec(u));
    OK(cusparseDestroyDnVec(v));
}

static void what_must_fail(cusparseHandle_t h)
{
    const Sparse<float, int> s(4, 4, CUSPARSE_FORMAT_CSR, 0);
    Device<float> x((size_t)4), y((size_t)4);
    cusparseDnVecDescr_t u, v, small;
    const float one = 1;
    const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    OK(cusparseCreateDnVec(&u, 4, x.p, CUDA_R_32F));
    OK(cusparseCreateDnVec(&v, 4, y.p, CUDA_R_32F));
    OK(cusparseCreateDnVec(&small, 3, y.p, CUDA_R_32F));
    CHECK(cusparseSpMV(NULL, none, &one, s.m, u, &one, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL) == CUSPARSE_STATUS_NOT_INITIALIZED);
    CHECK(cusparseSpMV(h, none, NULL, s.m, u, &one, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
#ifdef POISE_OURS /* a GPU's own library does not look */
    const int beyond = 9;
    CHECK(cusparseSpMV(h, none, &one, s.m, u, &one, small, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(!cudaMemcpy(s.b->p, &beyond, sizeof beyond, cudaMemcpyHostToDevice));
    CHECK(cusparseSpMV(h, none, &one, s.m, u, &one, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL) == CUSPARSE_STATUS_EXECUTION_FAILED);
#endif
    OK(cusparseDestroyDnVec(u));
    OK(cusparseDestroyDnVec(v));
    OK(cusparseDestroyDnVec(small));
}

int main()
{
    cusparseHandle_t h;
    OK(cusparseCreate(&h));
    const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
    for (cusparseFormat_t format : formats)
        for (int base = 0; base < 2; base++) {
            products<float, int>(h, format, base);
            products<double, int64_t>(h, format, base);
            products<std::complex<float>, int>(h, format, base);
            products<std::complex<double>, int64_t>(h, format, base);
        }
    vectors(h);
    sparse_products(h);
    preconditioned<true>(h);
    preconditioned<false>(h);
    conversions(h);
    captured(h);
    what_must_fail(h);
    OK(cusparseDestroy(h));
    printf("%d checks\n", checks);
    return 0;
}
