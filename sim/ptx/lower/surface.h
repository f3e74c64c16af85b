/* What a surface access does outside of the surface; in uop.proven. */
#ifndef PTX_SURFACE_H
#define PTX_SURFACE_H
enum surface_clamp { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
#endif
