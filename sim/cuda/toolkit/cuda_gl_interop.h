/* Memory that is shared with OpenGL. There is no OpenGL on the functional device: programs that include this header
 * compile and run as long as they draw nothing; each function answers cudaErrorNotSupported. */
#ifndef POISE_CUDA_GL_INTEROP_H
#define POISE_CUDA_GL_INTEROP_H
#include "cuda_runtime_api.h"
#if defined(__has_include)
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#endif
#endif
#ifndef __gl_h_
#ifndef GL_VERSION_1_1
typedef unsigned int GLuint;
typedef unsigned int GLenum;
#endif
#endif
#endif
