#include "runner/mpi_library.h"

#include <dlfcn.h>

#if OMPI_MAJOR_VERSION > 5
#error "libmpi.so.40 is the interface of Open MPI 2 to 5"
#endif
#define LIBRARY "libmpi.so.40"

struct mpi mpi;

static int missing(struct error *err)
{
    error_set(err, ERR_INPUT, "%s", dlerror());
    return error_at(err, NULL, 0, -1, "install Open MPI (Debian: openmpi-bin), which has " LIBRARY);
}

/* Its own modules look for its symbols, hence RTLD_GLOBAL. Where it is no library of the system it is where it was at
 * build time. */
int mpi_load(struct error *err)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
    if (!library) library = dlopen(POISE_MPI_DIR "/" LIBRARY, RTLD_LAZY | RTLD_GLOBAL);
    if (!library) return missing(err);
#define F(name) \
    if (!(*(void **)&mpi.name = dlsym(library, "MPI_" #name))) return missing(err);
    MPI_FUNCTIONS(F)
#undef F
#define H(name, type, symbol) \
    if (!(mpi.name = (type)dlsym(library, symbol))) return missing(err);
    MPI_HANDLES(H)
#undef H
    return 0;
}
