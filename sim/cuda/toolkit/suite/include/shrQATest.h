/* shrQATest.h and sdkHelper.h of CUDA 4: what a test prints at its begin and end. */
#ifndef POISE_SUITE_SHR_QA_TEST_H
#define POISE_SUITE_SHR_QA_TEST_H
#include <stdio.h>
#include <stdlib.h>

enum eQAstatus { QA_FAILED = 0, QA_PASSED, QA_WAIVED };
#define shrQAStart(argc, argv) ((void)(argc), (void)printf("[%s] starting...\n", (argv)[0]))
#define shrQAFinish(argc, argv, status) \
    ((void)(argc), (void)printf("[%s] test results...\n%s\n", (argv)[0], (status) == QA_PASSED ? "PASSED" : "FAILED"))
#define shrQAFinishExit(argc, argv, status) \
    (shrQAFinish(argc, argv, status), exit((status) == QA_PASSED ? EXIT_SUCCESS : EXIT_FAILURE))
#define shrLog printf
#endif
