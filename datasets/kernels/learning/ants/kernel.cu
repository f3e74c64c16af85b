// ants: routes of an ant colony (M. Dorigo and L. Gambardella, "Ant colony system", IEEE Transactions on Evolutionary
// Computation 1, 1997): from where it stands an ant goes on to the city, not yet visited, whose trail and nearness,
// times a drawn number, are best. A thread owns an ant; mark j of all ants lies together.
#include "cuda_device.h"

extern "C" __global__ void build_routes(const float *choice, u8 *visited, const u32 *seeds, u32 *routes, u32 cities, u32 stops,
                                        u32 n)
{
    u32 thread = thread_index();
    if (thread >= n) return;
    u32 state = seeds[thread], city = state % cities;
    visited[city * n + thread] = 1;
#pragma unroll 1
    for (u32 stop = 0; stop < stops; stop++) {
        const float *row = choice + city * cities;
        float most = -1.0f;
#pragma unroll 1
        for (u32 i = 0; i < cities; i++) {
            state = state * 1664525u + 1013904223u;
            float worth = row[i] * (float)(state >> 8);
            if (worth <= most || visited[i * n + thread]) continue;
            most = worth;
            city = i;
        }
        visited[city * n + thread] = 1;
        routes[stop * n + thread] = city;
    }
}
