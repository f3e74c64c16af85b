/* What the micro-ops of textures and surfaces say of their shape, and of what lies outside. */
#ifndef PTX_SURFACE_H
#define PTX_SURFACE_H
/* uop.aux: the first coordinate is a layer; the others are a direction in a cube of six faces */
enum texture_shape { TEXTURE_LAYERED = 1, TEXTURE_CUBE = 2 };
/* uop.proven: what a surface access does outside of the surface */
enum surface_clamp { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
#endif
