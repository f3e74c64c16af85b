/* Open MPI's functions, loaded when processes that a launcher started begin (ranks_begin): its eight libraries take two
 * fifths of the start of a command, and nearly all commands are plain runs. Internal to runner_mpi.c and
 * runner_beat.c. */
#ifndef POISE_MPI_LIBRARY_H
#define POISE_MPI_LIBRARY_H
#include <mpi.h>
#include "poise/error.h"

#define MPI_FUNCTIONS(F) \
    F(Abort) \
    F(Allgather) \
    F(Allreduce) \
    F(Cancel) \
    F(Comm_free) \
    F(Comm_rank) \
    F(Comm_set_errhandler) \
    F(Comm_size) \
    F(Comm_split_type) \
    F(Finalize) \
    F(Get_count) \
    F(Init_thread) \
    F(Iprobe) \
    F(Isend) \
    F(Recv) \
    F(Request_free) \
    F(Test)

/* What mpi.h's macros of these names take from the library: addresses of its variables. */
#define MPI_HANDLES(H) \
    H(world, MPI_Comm, "ompi_mpi_comm_world") \
    H(bytes, MPI_Datatype, "ompi_mpi_byte") \
    H(integer, MPI_Datatype, "ompi_mpi_int") \
    H(max, MPI_Op, "ompi_mpi_op_max") \
    H(no_info, MPI_Info, "ompi_mpi_info_null") \
    H(no_request, MPI_Request, "ompi_request_null") \
    H(errors_return, MPI_Errhandler, "ompi_mpi_errors_return")

struct mpi {
#define F(name) __typeof__(MPI_##name) *name;
    MPI_FUNCTIONS(F)
#undef F
#define H(name, type, symbol) type name;
    MPI_HANDLES(H)
#undef H
};

int mpi_load(struct error *err); /* ERR_INPUT where the library is not here, or is another MPI */
extern struct mpi mpi;           /* once loaded */
#endif
