/* The functions of the runtime API that compile and link and answer cudaErrorNotSupported: name, parameters. */
#define POISE_CUDART_NOT_OFFERED(X) \
    X(cudaDeviceGetTexture1DLinearMaxWidth, (size_t *, const struct cudaChannelFormatDesc *, int)) \
    X(cudaIpcGetEventHandle, (cudaIpcEventHandle_t *, cudaEvent_t)) \
    X(cudaIpcOpenEventHandle, (cudaEvent_t *, cudaIpcEventHandle_t)) \
    X(cudaIpcGetMemHandle, (cudaIpcMemHandle_t *, void *)) \
    X(cudaIpcOpenMemHandle, (void **, cudaIpcMemHandle_t, unsigned int)) \
    X(cudaIpcCloseMemHandle, (void *)) \
    X(cudaDeviceFlushGPUDirectRDMAWrites, \
      (enum cudaFlushGPUDirectRDMAWritesTarget, enum cudaFlushGPUDirectRDMAWritesScope)) \
    X(cudaDeviceRegisterAsyncNotification, (int, cudaAsyncCallback, void *, cudaAsyncCallbackHandle_t *)) \
    X(cudaDeviceUnregisterAsyncNotification, (int, cudaAsyncCallbackHandle_t)) \
    X(cudaDeviceGetHostAtomicCapabilities, (unsigned int *, const enum cudaAtomicOperation *, unsigned int, int)) \
    X(cudaDeviceGetNvSciSyncAttributes, (void *, int, int)) \
    X(cudaDeviceGetP2PAtomicCapabilities, (unsigned int *, const enum cudaAtomicOperation *, unsigned int, int, int)) \
    X(cudaImportExternalMemory, (cudaExternalMemory_t *, const struct cudaExternalMemoryHandleDesc *)) \
    X(cudaExternalMemoryGetMappedBuffer, (void **, cudaExternalMemory_t, const struct cudaExternalMemoryBufferDesc *)) \
    X(cudaExternalMemoryGetMappedMipmappedArray, \
      (cudaMipmappedArray_t *, cudaExternalMemory_t, const struct cudaExternalMemoryMipmappedArrayDesc *)) \
    X(cudaDestroyExternalMemory, (cudaExternalMemory_t)) \
    X(cudaImportExternalSemaphore, (cudaExternalSemaphore_t *, const struct cudaExternalSemaphoreHandleDesc *)) \
    X(cudaSignalExternalSemaphoresAsync, \
      (const cudaExternalSemaphore_t *, const struct cudaExternalSemaphoreSignalParams *, unsigned int, cudaStream_t)) \
    X(cudaWaitExternalSemaphoresAsync, \
      (const cudaExternalSemaphore_t *, const struct cudaExternalSemaphoreWaitParams *, unsigned int, cudaStream_t)) \
    X(cudaDestroyExternalSemaphore, (cudaExternalSemaphore_t)) \
    X(cudaFuncGetParamInfo, (const void *, size_t, size_t *, size_t *)) \
    X(cudaOccupancyMaxPotentialClusterSize, (int *, const void *, const cudaLaunchConfig_t *)) \
    X(cudaOccupancyMaxActiveClusters, (int *, const void *, const cudaLaunchConfig_t *)) \
    X(cudaFreeMipmappedArray, (cudaMipmappedArray_t)) \
    X(cudaMallocMipmappedArray, (cudaMipmappedArray_t *, const struct cudaChannelFormatDesc *, struct cudaExtent, \
                                 unsigned int, unsigned int POISE_DEFAULT(0))) \
    X(cudaGetMipmappedArrayLevel, (cudaArray_t *, cudaMipmappedArray_const_t, unsigned int)) \
    X(cudaArrayGetPlane, (cudaArray_t *, cudaArray_t, unsigned int)) \
    X(cudaArrayGetMemoryRequirements, (struct cudaArrayMemoryRequirements *, cudaArray_t, int)) \
    X(cudaMipmappedArrayGetMemoryRequirements, (struct cudaArrayMemoryRequirements *, cudaMipmappedArray_t, int)) \
    X(cudaArrayGetSparseProperties, (struct cudaArraySparseProperties *, cudaArray_t)) \
    X(cudaMipmappedArrayGetSparseProperties, (struct cudaArraySparseProperties *, cudaMipmappedArray_t)) \
    X(cudaMemcpyBatchAsync, (void *const *, const void *const *, const size_t *, size_t, \
                             struct cudaMemcpyAttributes *, size_t *, size_t, cudaStream_t)) \
    X(cudaMemcpy3DBatchAsync, (size_t, struct cudaMemcpy3DBatchOp *, unsigned long long, cudaStream_t)) \
    X(cudaMemPrefetchBatchAsync, \
      (void **, size_t *, size_t, struct cudaMemLocation *, size_t *, size_t, unsigned long long, cudaStream_t)) \
    X(cudaMemDiscardBatchAsync, (void **, size_t *, size_t, unsigned long long, cudaStream_t)) \
    X(cudaMemDiscardAndPrefetchBatchAsync, \
      (void **, size_t *, size_t, struct cudaMemLocation *, size_t *, size_t, unsigned long long, cudaStream_t)) \
    X(cudaMemRangeGetAttribute, (void *, size_t, enum cudaMemRangeAttribute, const void *, size_t)) \
    X(cudaMemRangeGetAttributes, (void **, size_t *, enum cudaMemRangeAttribute *, size_t, const void *, size_t)) \
    X(cudaMemGetDefaultMemPool, (cudaMemPool_t *, struct cudaMemLocation *, enum cudaMemAllocationType)) \
    X(cudaMemGetMemPool, (cudaMemPool_t *, struct cudaMemLocation *, enum cudaMemAllocationType)) \
    X(cudaMemSetMemPool, (struct cudaMemLocation *, enum cudaMemAllocationType, cudaMemPool_t)) \
    X(cudaMemPoolExportToShareableHandle, (void *, cudaMemPool_t, enum cudaMemAllocationHandleType, unsigned int)) \
    X(cudaMemPoolImportFromShareableHandle, (cudaMemPool_t *, void *, enum cudaMemAllocationHandleType, unsigned int)) \
    X(cudaMemPoolExportPointer, (struct cudaMemPoolPtrExportData *, void *)) \
    X(cudaMemPoolImportPointer, (void **, cudaMemPool_t, struct cudaMemPoolPtrExportData *)) \
    X(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t)) \
    X(cudaGraphicsResourceSetMapFlags, (cudaGraphicsResource_t, unsigned int)) \
    X(cudaGLGetDevices, (unsigned int *, int *, unsigned int, enum cudaGLDeviceList)) \
    X(cudaGraphicsGLRegisterBuffer, (cudaGraphicsResource_t *, unsigned int, unsigned int)) \
    X(cudaGraphicsGLRegisterImage, (cudaGraphicsResource_t *, unsigned int, unsigned int, unsigned int)) \
    X(cudaGLSetGLDevice, (int)) \
    X(cudaGLRegisterBufferObject, (unsigned int)) \
    X(cudaGLMapBufferObject, (void **, unsigned int)) \
    X(cudaGLMapBufferObjectAsync, (void **, unsigned int, cudaStream_t)) \
    X(cudaGLUnmapBufferObject, (unsigned int)) \
    X(cudaGLUnmapBufferObjectAsync, (unsigned int, cudaStream_t)) \
    X(cudaGLUnregisterBufferObject, (unsigned int)) \
    X(cudaGLSetBufferObjectMapFlags, (unsigned int, unsigned int)) \
    X(cudaGraphicsMapResources, (int, cudaGraphicsResource_t *, cudaStream_t)) \
    X(cudaGraphicsUnmapResources, (int, cudaGraphicsResource_t *, cudaStream_t)) \
    X(cudaGraphicsResourceGetMappedPointer, (void **, size_t *, cudaGraphicsResource_t)) \
    X(cudaGraphicsSubResourceGetMappedArray, (cudaArray_t *, cudaGraphicsResource_t, unsigned int, unsigned int)) \
    X(cudaGraphicsResourceGetMappedMipmappedArray, (cudaMipmappedArray_t *, cudaGraphicsResource_t)) \
    X(cudaGetTextureObjectResourceViewDesc, (struct cudaResourceViewDesc *, cudaTextureObject_t)) \
    X(cudaGetSurfaceObjectResourceDesc, (struct cudaResourceDesc *, cudaSurfaceObject_t)) \
    X(cudaLogsRegisterCallback, (cudaLogsCallback_t, void *, cudaLogsCallbackHandle *)) \
    X(cudaLogsUnregisterCallback, (cudaLogsCallbackHandle)) \
    X(cudaLogsCurrent, (cudaLogIterator *, unsigned int)) \
    X(cudaLogsDumpToFile, (cudaLogIterator *, const char *, unsigned int)) \
    X(cudaLogsDumpToMemory, (cudaLogIterator *, char *, size_t *, unsigned int)) \
    X(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t, cudaGraphNode_t)) \
    X(cudaGraphKernelNodeGetAttribute, (cudaGraphNode_t, cudaLaunchAttributeID, cudaLaunchAttributeValue *)) \
    X(cudaGraphKernelNodeSetAttribute, (cudaGraphNode_t, cudaLaunchAttributeID, const cudaLaunchAttributeValue *)) \
    X(cudaGraphMemcpyNodeGetParams, (cudaGraphNode_t, struct cudaMemcpy3DParms *)) \
    X(cudaGraphMemcpyNodeSetParamsToSymbol, \
      (cudaGraphNode_t, const void *, const void *, size_t, size_t, enum cudaMemcpyKind)) \
    X(cudaGraphMemcpyNodeSetParamsFromSymbol, \
      (cudaGraphNode_t, void *, const void *, size_t, size_t, enum cudaMemcpyKind)) \
    X(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t, cudaEvent_t *)) \
    X(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t, cudaEvent_t)) \
    X(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t, cudaEvent_t *)) \
    X(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t, cudaEvent_t)) \
    X(cudaGraphAddExternalSemaphoresSignalNode, (cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, \
                                                 const struct cudaExternalSemaphoreSignalNodeParams *)) \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams, \
      (cudaGraphNode_t, struct cudaExternalSemaphoreSignalNodeParams *)) \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams, \
      (cudaGraphNode_t, const struct cudaExternalSemaphoreSignalNodeParams *)) \
    X(cudaGraphAddExternalSemaphoresWaitNode, (cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, \
                                               const struct cudaExternalSemaphoreWaitNodeParams *)) \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams, (cudaGraphNode_t, struct cudaExternalSemaphoreWaitNodeParams *)) \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams, \
      (cudaGraphNode_t, const struct cudaExternalSemaphoreWaitNodeParams *)) \
    X(cudaGraphExecGetFlags, (cudaGraphExec_t, unsigned long long *)) \
    X(cudaGraphExecMemcpyNodeSetParamsToSymbol, \
      (cudaGraphExec_t, cudaGraphNode_t, const void *, const void *, size_t, size_t, enum cudaMemcpyKind)) \
    X(cudaGraphExecMemcpyNodeSetParamsFromSymbol, \
      (cudaGraphExec_t, cudaGraphNode_t, void *, const void *, size_t, size_t, enum cudaMemcpyKind)) \
    X(cudaGraphExecEventRecordNodeSetEvent, (cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t)) \
    X(cudaGraphExecEventWaitNodeSetEvent, (cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t)) \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams, \
      (cudaGraphExec_t, cudaGraphNode_t, const struct cudaExternalSemaphoreSignalNodeParams *)) \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams, \
      (cudaGraphExec_t, cudaGraphNode_t, const struct cudaExternalSemaphoreWaitNodeParams *)) \
    X(cudaUserObjectCreate, (cudaUserObject_t *, void *, cudaHostFn_t, unsigned int, unsigned int)) \
    X(cudaUserObjectRetain, (cudaUserObject_t, unsigned int POISE_DEFAULT(1))) \
    X(cudaUserObjectRelease, (cudaUserObject_t, unsigned int POISE_DEFAULT(1))) \
    X(cudaGraphRetainUserObject, \
      (cudaGraph_t, cudaUserObject_t, unsigned int POISE_DEFAULT(1), unsigned int POISE_DEFAULT(0))) \
    X(cudaGraphReleaseUserObject, (cudaGraph_t, cudaUserObject_t, unsigned int POISE_DEFAULT(1))) \
    X(cudaGraphNodeSetParams, (cudaGraphNode_t, struct cudaGraphNodeParams *)) \
    X(cudaGraphExecNodeSetParams, (cudaGraphExec_t, cudaGraphNode_t, struct cudaGraphNodeParams *)) \
    X(cudaLibraryLoadData, (cudaLibrary_t *, const void *, enum cudaJitOption *, void **, unsigned int, \
                            enum cudaLibraryOption *, void **, unsigned int)) \
    X(cudaLibraryLoadFromFile, (cudaLibrary_t *, const char *, enum cudaJitOption *, void **, unsigned int, \
                                enum cudaLibraryOption *, void **, unsigned int)) \
    X(cudaLibraryUnload, (cudaLibrary_t)) \
    X(cudaLibraryGetKernel, (cudaKernel_t *, cudaLibrary_t, const char *)) \
    X(cudaLibraryGetGlobal, (void **, size_t *, cudaLibrary_t, const char *)) \
    X(cudaLibraryGetManaged, (void **, size_t *, cudaLibrary_t, const char *)) \
    X(cudaLibraryGetUnifiedFunction, (void **, cudaLibrary_t, const char *)) \
    X(cudaLibraryGetKernelCount, (unsigned int *, cudaLibrary_t)) \
    X(cudaLibraryEnumerateKernels, (cudaKernel_t *, unsigned int, cudaLibrary_t)) \
    X(cudaKernelSetAttributeForDevice, (cudaKernel_t, enum cudaFuncAttribute, int, int)) \
    X(cudaGetExportTable, (const void **, const cudaUUID_t *)) \
    X(cudaGetKernel, (cudaKernel_t *, const void *))
