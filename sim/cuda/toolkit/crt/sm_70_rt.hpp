/* clang includes this name for the matching intrinsics of sm_70, which it does not have itself. */
