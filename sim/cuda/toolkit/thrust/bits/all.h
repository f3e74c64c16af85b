/* thrust: what programs use of CUDA's header library of that name, for poise cc. */
#ifndef POISE_THRUST_ALL_H
#define POISE_THRUST_ALL_H
#define THRUST_VERSION 200000
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 0
/* CUDA's headers bring it along, and programs print without including it. */
#include <iostream>
#include "sets.h"
#include "random.h"
#endif
