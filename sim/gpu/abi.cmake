# Writes poise/abi.h: a hash of the headers that a plug-in includes.  cmake -DHEADERS=.. -DOUT=FILE -P abi.cmake
set(all "")
foreach(header ${HEADERS})
  file(SHA256 ${header} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUT} CONTENT
"/* Generated. The version of the headers that a plug-in is built against: a hash of what they say. */
#ifndef POISE_ABI_H
#define POISE_ABI_H
#define POISE_ABI \"@hash@\"
#endif
" @ONLY)
