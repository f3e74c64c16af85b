/* What the programs of this suite share. */
#ifndef HOST_H
#define HOST_H
#define BLOCK 64
#endif
