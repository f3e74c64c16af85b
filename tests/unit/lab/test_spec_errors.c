/* What is wrong in a sweep or a tuning, and where: the @ in each text marks the line and column that the message
 * must name. */
#include "rig.h"
#include "where.h"

#include <stddef.h>
#include "poise/pipeline.h"
#include "poise/sweep.h"
#include "poise/tune.h"

#define CONFIGS POISE_SOURCE_DIR "/experiments/configs"
struct wrong {
    const char *text, *says;
};

static const char *const sweep_head = "schema: 1\nkind: sweep\nname: t\n", *const tune_head =
                                                                               "schema: 1\nkind: tune\nname: t\n";

static int parse_sweep(const char *text, struct error *err)
{
    struct sweep *s;
    const int result = sweep_parse(&s, "s.yaml", text, strlen(text), CONFIGS, err);
    sweep_free(s);
    return result;
}

static int parse_tune(const char *text, struct error *err)
{
    struct tune *t;
    const int result = tune_parse(&t, "s.yaml", text, strlen(text), CONFIGS, err);
    tune_free(t);
    return result;
}

static int parse_pipeline(const char *text, struct error *err)
{
    struct pipeline_spec s;
    return pipeline_spec_parse(&s, "s.yaml", text, strlen(text), err);
}

/* 1 where it is told as it should be; else it says what came. */
static int told(const char *head, const struct wrong *wrong, int (*parse)(const char *, struct error *))
{
    char text[4096], place[64];
    struct error err = {0};
    snprintf(text, sizeof text, "%s%s", head, wrong->text);
    char *mark = strchr(text, '@');
    assert_non_null(mark);
    int line = 1, column = 1;
    for (const char *c = text; c < mark; c++) line += *c == '\n', column = *c == '\n' ? 1 : column + 1;
    memmove(mark, mark + 1, strlen(mark));
    snprintf(place, sizeof place, "s.yaml:%d:%d: ", line, column);
    const int result = parse(text, &err);
    if (result < 0 && strncmp(err.text, place, strlen(place)) == 0 && strstr(err.text, wrong->says) &&
        err.line == line && strcmp(err.file, "s.yaml") == 0 && error_exit_status(&err) == 2)
        return 1;
    print_message("%s: wanted %s...%s, got %s\n", wrong->text, place, wrong->says,
                  result < 0 ? err.text : "no complaint");
    return 0;
}

/* Without the head. */
static const struct wrong headless[] = {
    {"@- a list\n", "a map is needed here"},
    {"@kind: sweep\nname: t\n", "'schema' is missing"},
    {"schema: @2\nkind: sweep\nname: t\n", "2 is out of range: allowed 1 .. 1"},
    {"schema: @one\nkind: sweep\nname: t\n", "'one' is not a whole number"},
    {"schema: @[1]\nkind: sweep\nname: t\n", "'schema' needs one value"},
    {"@schema: 1\nname: t\n", "'kind' is missing"},
    {"@schema: 1\nkind: sweep\n", "'name' is missing"},
    {"schema: 1\nkind: @pipeline\nname: t\n", "reads this spec"},
    {"schema: 1\nkind: sweep\nname: @{a: 1}\n", "'name' needs one value"},
    {"schema: 1\nkind: sweep\nname: @../../x\n", "'../../x': the name becomes a folder"},
    {"schema: 1\nkind: sweep\nname: @/tmp/x\n", "the name becomes a folder"},
    {"schema: 1\nkind: sweep\nname: @..\n", "the name becomes a folder"},
    {"schema: 1\nkind: sweep\nname: @''\n", "'name' is empty"},
    {"schema: 1\nkind: sweep\nname: @\"a\\nb\"\n", "the name becomes a folder"},
    {"schema: @99999999999999999999\nkind: sweep\nname: t\n", "is not a whole number"},
    {"schema: 1\nkind: sweep\nname: t\ndoc: @[a, b]\n", "'doc' needs one value"},
    {"schema: 1\nkind: sweep\nname: t\ndoc: @''\n", "'doc' is empty"},
    {"schema: 1\nkind: sweep\nname: t\ndoc: @\"\\e[31mred\"\n", "has a control character"},
    {"schema: 1\nkind: sweep\nname: t\nstaks: @[gto]\n", "did you mean 'stacks'?"},
    {"schema: 1\nkind: sweep\n  name@: t\n", ""}, /* no YAML */
    {"schema: 1\nkind: sweep\nname: t\nkernels: [mm\n@", ""},
    {"@schema: 1\nkind: sweep\nname: t\nkernels: [mm]\n", "'stacks' must be a list"},
};
static const struct wrong sweeps[] = {
    {"kernels: @mm\nstacks: [gto]\n", "'kernels' must be a list"},
    {"kernels: @[]\nstacks: [gto]\n", "'kernels' must be a list"},
    {"kernels: [@{size: test}]\nstacks: [gto]\n", "'name' is missing"},
    {"kernels: [{name: mm, sise: @test}]\nstacks: [gto]\n", "did you mean 'size'?"},
    {"kernels: [{name: mm, size: @tiny}]\nstacks: [gto]\n", "choose test, small, eval or full"},
    {"kernels: [{name: mm, launches: @some}]\nstacks: [gto]\n", "a list of indices, profiled or all"},
    {"kernels: [{name: mm, launches: [0, @x]}]\nstacks: [gto]\n", "'x' is not a whole number"},
    {"kernels: [{name: mm, launches: [@-1]}]\nstacks: [gto]\n", "-1 is out of range"},
    {"kernels: [{name: mm, launches: @[]}]\nstacks: [gto]\n", "a list of 1 to 64"},
    {"kernels: [{name: mm, inputs: @3}]\nstacks: [gto]\n", "a list of 1 to 64"},
    {"kernels: [{trace: @[a, b]}]\nstacks: [gto]\n", "'trace' needs one value"},
    {"kernels: [{trace: @''}]\nstacks: [gto]\n", "'trace' is empty"},
    {"kernels: [{trace: a.ptrace, args: @[3]}]\nstacks: [gto]\n", "no key 'args' here"},
    {"kernels: [{trace: a.ptrace, benchmarc: @b}]\nstacks: [gto]\n", "did you mean 'benchmark'?"},
    {"kernels: [{trace: a.ptrace, benchmark: @'a,b'}]\nstacks: [gto]\n", "no comma, quote or wildcard"},
    {"kernels: [{program: ./a, args: @{n: 3}}]\nstacks: [gto]\n", "a value or a list of values"},
    {"kernels: [{program: ./a, launches: @[]}]\nstacks: [gto]\n", "a list of 1 to 64 launch numbers"},
    {"kernels: [{program: ./a, launches: [@-1]}]\nstacks: [gto]\n", "-1 is out of range"},
    {"kernels: [{name: a, synth: {pattern: @walk}}]\nstacks: [gto]\n", "choose one of scan|gather"},
    {"kernels: [{name: a, synth: @{pattern: scan, degree: 8, lines: 12}}]\nstacks: [gto]\n", "multiple of degree=8"},
    {"kernels: [{name: a, synth: {pattern: scan, degre: @8}}]\nstacks: [gto]\n", "did you mean 'degree'?"},
    {"kernels: [{name: a, synth: {pattern: scan, degree: @{n: 8}}}]\nstacks: [gto]\n", "a value or a list of values"},
    {"kernels: [{name: a, synth: {divergence: @33}}]\nstacks: [gto]\n", "divergence: a whole number from 1 to 32"},
    {"kernels: [{name: a, synth: {divergense: @4}}]\nstacks: [gto]\n", "did you mean 'divergence'?"},
    {"kernels: [{name: a, synth: {reuse: [2, @0]}}]\nstacks: [gto]\n", "reuse: a whole number from 1 to 65536"},
    {"kernels: [{name: a, synth: @{phases: 2, divergence: [8, 5]}}]\nstacks: [gto]\n",
     "phase 1: distance=16 must be a multiple of divergence=5"},
    {"kernels: [{name: a, size: @test, synth: {pattern: scan}}]\nstacks: [gto]\n", "a pattern has no sizes"},
    {"kernels: [{name: @'a,b', synth: {pattern: scan}}]\nstacks: [gto]\n", "no comma, quote or wildcard"},
    {"kernels: [{name: @'d=4,r=4', synth: {divergence: 4}}]\nstacks: [gto]\n", "no comma, quote or wildcard"},
    {"kernels: [{name: @\"a\\eb\", synth: {divergence: 4}}]\nstacks: [gto]\n", "'a?b' has a control character"},
    {"kernels: [{name: a, benchmark: @'b*', synth: {divergence: 4}}]\nstacks: [gto]\n", "no comma, quote or wildcard"},
    {"kernels: [{name: @'', synth: {divergence: 4}}]\nstacks: [gto]\n", "'name' is empty"},
    {"kernels: [mm]\nsize: @huge\nstacks: [gto]\n", "choose test, small, eval or full"},
    {"kernels: [mm]\nconfig: [kepler32, @keplar32]\nstacks: [gto]\n", "did you mean 'kepler32'?"},
    {"kernels: [mm]\nconfig: @[]\nstacks: [gto]\n", "'config' names no machine"},
    {"kernels: [mm]\nconfig: [kepler32, volta80]\nrelative_to: @fermi15\nstacks: [gto]\n",
     "no such machine; its first is 'kepler32', its last 'volta80'"},
    {"kernels: [mm]\nconfig: [kepler32, volta80]\nrelative_to: @'volta80:ccws'\nstacks: [gto]\n", "no stack 'ccws'"},
    {"kernels: [mm]\nconfig: @keplar32\nstacks: [gto]\n", "keplar32"},
    {"kernels: [mm]\nset: @[l1.ways]\nstacks: [gto]\n", "a map of parameters is needed here"},
    {"kernels: [mm]\nset: {l1.wayz: @3}\nstacks: [gto]\n", "did you mean 'ways'?"},
    {"kernels: [mm]\nset: {ways: @3}\nstacks: [gto]\n", "a parameter is GROUP.NAME"},
    {"kernels: [mm]\nset: {l1.ways: @many}\nstacks: [gto]\n", "many"},
    {"kernels: [mm]\nset: {l1.ways: @[1, 2]}\nstacks: [gto]\n", "l1.ways needs one value"},
    {"kernels: [mm]\naxes: @7\nstacks: [gto]\n", "axes are a map"},
    {"kernels: [mm]\naxes: {l1.ways: @[]}\nstacks: [gto]\n", "has no values"},
    {"kernels: [mm]\naxes: {l1.ways: @[4, 0]}\nstacks: [gto]\n", "ways"},
    {"kernels: [mm]\naxes: {l1.ways: [4, @[8]]}\nstacks: [gto]\n", "one value is needed here"},
    {"kernels: [mm]\naxes: {l1.ways: [4, 8, @4.0]}\nstacks: [gto]\n", "axis l1.ways has the value 4 twice"},
    {"kernels: [mm, @mm]\nstacks: [gto]\n", "kernel 'mm' is in the list twice"},
    {"kernels: [mm, {trace: a.ptrace}, @{trace: a.ptrace}]\nstacks: [gto]\n", "'a.ptrace' is in the list twice"},
    {"kernels: [mm]\nconfig: [kepler32, @kepler32]\nstacks: [gto]\n", "'kepler32' is in the list twice"},
    {"kernels: [mm]\nstacks: ['tuple,N=2,p=1', @'tuple,p=1,N=2']\n", "stack 'tuple,p=1,N=2' is in the list twice"},
    {"kernels: [mm]\nstacks: ['swl,N=2', {mech: @swl, axes: {N: [1, 2]}}]\n", "stack 'swl,N=2' is in the list twice"},
    {"kernels: [mm]\nstacks: [gto, [bucl, @\"swl,N=2\\e[31m\"]]\n", "has a control character"},
    {"kernels: [mm]\nstacks: [@'swl,N=2,N=3']\n", "swl: N is given twice"},
    {"kernels: [mm]\nset: {l1.ways: @8}\naxes: {l1.ways: [4, 8]}\nstacks: [gto]\n", "l1.ways is an axis as well"},
    {"kernels: [mm]\nrelative_to: @fermi15\nstacks: [gto]\n", "no such machine; its first is ':STACK'"},
    {"kernels: [mm]\naxes: {l1.ways: @{from: 1}}\nstacks: [gto]\n", "needs 'from' and 'to'"},
    {"kernels: [mm]\nstacks: [{mech: tuple, axes: {N: [1, @nan]}, where: N > 0}]\n", "axis N: 'nan' is no value"},
    {"kernels: [mm]\nstacks: [{mech: tuple, axes: {N: [1, @1e400]}, where: N < 9}]\n", "axis N: '1e400' is no value"},
    {"kernels: [mm]\nstacks: [gto, @[]]\n", "a mechanism is needed here"},
    {"kernels: [mm]\nstacks: [gto, @['swl,N=2', 'swl,N=3']]\n", "swl is in the stack twice"},
    {"kernels: [mm]\nstacks: [gto, @[ucp, tap_ucp]]\n", "ucp and tap_ucp both want to decide"},
    {"kernels: [mm]\naxes: {l1.ways: {from: 1, to: 8, stp: @2}}\nstacks: [gto]\n", "did you mean 'step'?"},
    {"kernels: [mm]\naxes: {l1.ways: {from: 1, to: 8, step: @0}}\nstacks: [gto]\n", "step = 0: allowed"},
    {"kernels: [mm]\naxes: {l1.ways: @{from: 0, to: 8, times: 2}}\nstacks: [gto]\n", "starts above 0"},
    {"kernels: [mm]\naxes: {l1.ways: @{from: 0, to: 8, points: 3}}\nstacks: [gto]\n", "from above 0"},
    {"kernels: [mm]\naxes: {l1.ways: {from: 1, to: 8, points: @1}}\nstacks: [gto]\n", "1 is out of range"},
    {"kernels: [mm]\naxes: {l1.ways: {from: 1, to: 8, times: @1}}\nstacks: [gto]\n", "times = 1: allowed"},
    {"kernels: [mm]\naxes: {l1.ways: @{from: 1, to: 1e9}}\nstacks: [gto]\n", "more than 4096 values"},
    {"kernels: [mm]\naxes: {l1.ways: {from: 1, to: 4096}, l1.mshrs: @{from: 1, to: 4096}}\nstacks: [gto]\n",
     "combinations"},
    {"kernels: [mm]\nstacks: @gto\n", "'stacks' must be a list"},
    {"kernels: [mm]\nstacks: @[]\n", "'stacks' must be a list"},
    {"kernels: [mm]\nstacks: [@tupel]\n", "did you mean 'tuple'?"},
    {"kernels: [mm]\nstacks:\n  - @axes: {N: [1]}\n", "'mech' is missing"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    when: @p <= N\n", "did you mean 'where'?"},
    {"kernels: [mm]\nstacks:\n  - mech: @{tuple: 1}\n", "a value or a list of values"},
    {"kernels: [mm]\nstacks:\n  - mech: [gto, @[tuple]]\n", "one value is needed here"},
    {"kernels: [mm]\nstacks:\n  - mech: @[gto, gto, gto, gto, gto, gto, gto]\n", "at most 6"},
    {"kernels: [mm]\nstacks: [@'tuple,M=3']\n", "no parameter 'M'"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    axes: {M: @[1]}\n", "did you mean 'N'?"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    axes: {N: @[1, 99]}\n", "allowed 0 .. 64"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    axes: {N: @{from: 5, to: 1}}\n", "from 5 is above to 1"},
    {"kernels: [mm]\nstacks:\n  - mech: [tuple, swl]\n    axes: {N: @[1]}\n", "two mechanisms have it; write"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    axes: {ccws.N: @[1]}\n", "no mechanism of this stack"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    axes: {N: [1]}\n    where: @q <= N\n",
     "a condition compares axes of this stack"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    axes: {N: [1]}\n    where: [N <= 2, @N]\n", "a condition compares"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    axes: {N: [1]}\n    where: @{N: 1}\n", "a condition such as"},
    {"kernels: [mm]\nstacks:\n  - mech: tuple\n    axes: {N: [1]}\n    where: @N > 1\n", "leave nothing of this stack"},
    {"kernels: [mm]\nstacks: [gto]\nlimits: @5\n", "a map is needed here"},
    {"kernels: [mm]\nstacks: [gto]\nlimits: {max_cycle: @5}\n", "did you mean 'max_cycles'?"},
    {"kernels: [mm]\nstacks: [gto]\nlimits: {max_insts: @0}\n", "0 is out of range"},
    {"kernels: [mm]\nstacks: [gto]\nwarmup: @0\n", "0 is out of range"},
    {"kernels: [mm]\nstacks: [gto]\nlimits: {early_end: @2}\n", "early_end = 2: allowed"},
    {"kernels: [mm]\nstacks: [gto]\nfilters: @insts < 5\n",
     "a condition compares warp_insts, blocks, threads, launch, input or numbers"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: @[ipc]\n", "metrics are a map"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: @[ipc]}\n", "a formula is needed here"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: 2 * @ipk}\n", "no statistic 'ipk'"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: 2 * baseline.ipc / @baseline.nothing}\n",
     "no statistic 'baseline.nothing'"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: (2 * ipc@}\n", "')' is missing here"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: ipc, core_cycles: @ipc}\n",
     "sweep.csv has a column 'core_cycles' already"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {kernel: @ipc}\n", "sweep.csv has a column 'kernel' already"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: 2 @ipc}\n", "an operator or the end"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: ipc *@}\n", "a number, a statistic or '(' is needed here"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: max(ipc@)}\n", "','"},
    {"kernels: [mm]\nstacks: [gto]\nmetrics: {a: ((((((((((((((((@ipc))))))))))))))))}\n", "too deep"},
};
#define TUNE "kernels: [mvt]\nmech: swl\nparameters: {N: [1, 2]}\n"
#define STACK "kernels: [mvt]\nmech: [swl, bucl]\nparameters: {N: [1, 2], bucl: [on, off], TUCD: [1, 2]}\n"
static const struct wrong tunes[] = {
    {"kernels: [mvt]\nmech: swl\nparameters: {M: @[1, 2]}\n", "'M'"},
    {"kernels: [mvt]\nmech: swl\nparameters: {N: @{from: 1, to: 999}}\n", "allowed 0 .. 64"},
    {"kernels: [mvt]\nmech: @swll\nparameters: {N: [1]}\n", "did you mean 'swl'?"},
    {"kernels: [mvt]\nmech: swl\nparameters: @[1]\n", "'parameters' must be a map"},
    {"kernels: [mvt]\nmech: swl\nbaseline: @gtoo\nparameters: {N: [1]}\n", "no mechanism 'gtoo'"},
    {"metric: [ipc, @ipc]\n" TUNE, "'ipc' is in the list twice"},
    {"heldout: @mvt\n" TUNE, "'heldout' must be a list"},
    {"kernels: [mvt]\nmech: swl\nparameters: {N: [1, 2, @2]}\n", "axis N has the value 2 twice"},
    {STACK "when: {N: @bucl == on, bucl: N > 1}\n", "whether N exists hangs, through others, on its own value"},
    {STACK "when: {TUCD: @bucl == off}\n", "TUCD exists at no point"},
    {"kernels: [mvt]\nmech: [swl, bucl]\nparameters: {bucl: [off], TUCD: @[1, 2]}\n", "TUCD exists at no point"},
    {TUNE "method: {name: @sobl}\n", "did you mean 'sobol'?"},
    {TUNE "method: {name: gp, budget: @0}\n", "0 is out of range"},
    {TUNE "method: {name: gp, regret: @maybe}\n", "regret: true or false"},
    {TUNE "metric: @sped\n", "no statistic 'sped'"},
    {TUNE "metric: ipc + @sped\n", "no statistic 'sped'"},
    {TUNE "metric: @reference.ipc\n", "is for sweeps over machines"},
    {TUNE "goal: @most\n", "goal: max or min"},
    {TUNE "goal: @''\n", "goal: max or min"},
    {TUNE "metric: @1.5\n", "no statistic of the points is in '1.5'"},
    {TUNE "metric: [ipc, @2 * baseline.core_cycles]\n", "no statistic of the points"},
    {"kernels: [mvt]\nparameters: {N: [1]}\nmech: @[]\n", "a mechanism is needed here"},
    {TUNE "where: @M < 2\n", "a condition compares"},
    {TUNE "limits: {max_cycles: @x}\n", "'x' is not a whole number"},
    {TUNE "set: {l1.ways: @0}\n", "ways"},
    {TUNE "sample:@\n", "'sample' is empty"},
};

static void every_wrong_sweep_is_refused_at_its_line_and_column(void **state)
{
    (void)state;
    size_t good = 0;
    for (size_t i = 0; i < COUNT_OF(headless); i++) good += told("", &headless[i], parse_sweep);
    for (size_t i = 0; i < COUNT_OF(sweeps); i++) good += told(sweep_head, &sweeps[i], parse_sweep);
    assert_int_equal(COUNT_OF(headless) + COUNT_OF(sweeps), good);
}

static void names_of_tunings_and_pipelines_cannot_lead_out_of_the_results(void **state)
{
    static const struct wrong tune = {"schema: 1\nkind: tune\nname: @../../x\n", "the name becomes a folder"},
                              pipeline = {"schema: 1\nkind: pipeline\nname: @../../x\n", "the name becomes a folder"};
    (void)state;
    assert_int_equal(1, told("", &tune, parse_tune));
    assert_int_equal(1, told("", &pipeline, parse_pipeline));
}

static void every_wrong_tuning_is_refused_at_its_line_and_column(void **state)
{
    (void)state;
    size_t good = 0;
    for (size_t i = 0; i < COUNT_OF(tunes); i++) good += told(tune_head, &tunes[i], parse_tune);
    assert_int_equal(COUNT_OF(tunes), good);
}

/* Of a pipeline: what its learning is from and beside. */
static const struct wrong pipelines[] = {
    {"beside: @../poise-thesis.json\n", "a file of the folder models is needed"},
    {"whole: @tables\n", "a map is needed here"},
    {"whole: {training: [gco-many], profile: @[t.csv]}\n", "did you mean 'profiles'?"},
    {"whole: @{profiles: [t.csv]}\n", "'whole' names no benchmark that joins"},
    {"whole: {training: @[]}\n", "'whole' names no benchmark that joins"},
    {"whole: {training: [@[gco-many]]}\n", "one value is needed here"},
    {"whole: {training: [gco-many], profiles: @[a/t.csv]}\n", "a file of the folder datasets/profiles is needed"},
    {"training: [a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E]\nwhole: {training: @[F, G]}\n",
     "2 values: at most 1"},
    {"training: [a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E,F]\nwhole: {training: @G}\n",
     "too many values: at most 0"},
    {"training: [gco, pvr, @gco]\n", "'gco' is in the list twice"},
    {"features: [h_o, @h_o]\n", "'h_o' is in the list twice"},
    {"doc: @{a: 1}\n", "'doc' needs one value"},
    {"training: [gco, @[]]\n", "a name of a kernel is needed here"},
    {"evaluation: [@[mvt]]\n", "a name of a kernel is needed here"},
    {"contenders: [{name: @'a,b'}]\n", "no comma, quote or wildcard"},
    {"contenders: [{name: a, title: @\"a\\x9b31m\"}]\n", "has a control character"},
    {"contenders: [{name: a, mech: @[]}]\n", "a mechanism is needed here"},
    {"profiles: @[a/t.csv]\n", "a file of the folder datasets/profiles is needed"},
};

static void pipelines_name_line_and_column_too(void **state)
{
    (void)state;
    size_t right = 0;
    for (size_t i = 0; i < COUNT_OF(pipelines); i++)
        right += (size_t)told("schema: 1\nkind: pipeline\nname: t\n", &pipelines[i], parse_pipeline);
    assert_int_equal(COUNT_OF(pipelines), right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipelines_name_line_and_column_too),
        cmocka_unit_test(names_of_tunings_and_pipelines_cannot_lead_out_of_the_results),
        cmocka_unit_test(every_wrong_sweep_is_refused_at_its_line_and_column),
        cmocka_unit_test(every_wrong_tuning_is_refused_at_its_line_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
