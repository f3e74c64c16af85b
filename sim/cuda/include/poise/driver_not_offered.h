/* The functions of the driver API that compile and link and answer CUDA_ERROR_NOT_SUPPORTED: name, parameters. */
#define POISE_CUDA_NOT_OFFERED(X) \
    X(cuDeviceGetLuid, (char *, unsigned int *, CUdevice)) \
    X(cuDeviceGetTexture1DLinearMaxWidth, (size_t *, CUarray_format, unsigned int, CUdevice)) \
    X(cuDeviceGetHostAtomicCapabilities, (unsigned int *, const CUatomicOperation *, unsigned int, CUdevice)) \
    X(cuDeviceGetNvSciSyncAttributes, (void *, CUdevice, int)) \
    X(cuDeviceSetMemPool, (CUdevice, CUmemoryPool)) \
    X(cuDeviceGetMemPool, (CUmemoryPool *, CUdevice)) \
    X(cuDeviceGetDefaultMemPool, (CUmemoryPool *, CUdevice)) \
    X(cuDeviceGetExecAffinitySupport, (int *, CUexecAffinityType, CUdevice)) \
    X(cuFlushGPUDirectRDMAWrites, (CUflushGPUDirectRDMAWritesTarget, CUflushGPUDirectRDMAWritesScope)) \
    X(cuDeviceGetProperties, (CUdevprop *, CUdevice)) \
    X(cuDevicePrimaryCtxReset_v2, (CUdevice)) \
    X(cuCtxSetFlags, (unsigned int)) \
    X(cuCtxGetId, (CUcontext, unsigned long long *)) \
    X(cuCtxGetExecAffinity, (CUexecAffinityParam *, CUexecAffinityType)) \
    X(cuCtxRecordEvent, (CUcontext, CUevent)) \
    X(cuCtxWaitEvent, (CUcontext, CUevent)) \
    X(cuCtxAttach, (CUcontext *, unsigned int)) \
    X(cuCtxDetach, (CUcontext)) \
    X(cuModuleEnumerateFunctions, (CUfunction *, unsigned int, CUmodule)) \
    X(cuLibraryEnumerateKernels, (CUkernel *, unsigned int, CUlibrary)) \
    X(cuKernelGetLibrary, (CUlibrary *, CUkernel)) \
    X(cuLibraryGetManaged, (CUdeviceptr *, size_t *, CUlibrary, const char *)) \
    X(cuLibraryGetUnifiedFunction, (void **, CUlibrary, const char *)) \
    X(cuKernelSetCacheConfig, (CUkernel, CUfunc_cache, CUdevice)) \
    X(cuKernelGetName, (const char **, CUkernel)) \
    X(cuKernelGetParamInfo, (CUkernel, size_t, size_t *, size_t *)) \
    X(cuDeviceRegisterAsyncNotification, (CUdevice, CUasyncCallback, void *, CUasyncCallbackHandle *)) \
    X(cuDeviceUnregisterAsyncNotification, (CUdevice, CUasyncCallbackHandle)) \
    X(cuIpcGetEventHandle, (CUipcEventHandle *, CUevent)) \
    X(cuIpcOpenEventHandle, (CUevent *, CUipcEventHandle)) \
    X(cuIpcGetMemHandle, (CUipcMemHandle *, CUdeviceptr)) \
    X(cuIpcOpenMemHandle_v2, (CUdeviceptr *, CUipcMemHandle, unsigned int)) \
    X(cuIpcCloseMemHandle, (CUdeviceptr)) \
    X(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *)) \
    X(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *, CUstream)) \
    X(cuMemcpyBatchAsync_v2, \
      (CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, CUstream)) \
    X(cuMemcpy3DBatchAsync_v2, (size_t, CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream)) \
    X(cuArrayGetSparseProperties, (CUDA_ARRAY_SPARSE_PROPERTIES *, CUarray)) \
    X(cuMipmappedArrayGetSparseProperties, (CUDA_ARRAY_SPARSE_PROPERTIES *, CUmipmappedArray)) \
    X(cuArrayGetMemoryRequirements, (CUDA_ARRAY_MEMORY_REQUIREMENTS *, CUarray, CUdevice)) \
    X(cuMipmappedArrayGetMemoryRequirements, (CUDA_ARRAY_MEMORY_REQUIREMENTS *, CUmipmappedArray, CUdevice)) \
    X(cuArrayGetPlane, (CUarray *, CUarray, unsigned int)) \
    X(cuMipmappedArrayCreate, (CUmipmappedArray *, const CUDA_ARRAY3D_DESCRIPTOR *, unsigned int)) \
    X(cuMipmappedArrayGetLevel, (CUarray *, CUmipmappedArray, unsigned int)) \
    X(cuMipmappedArrayDestroy, (CUmipmappedArray)) \
    X(cuMemGetHandleForAddressRange, (void *, CUdeviceptr, size_t, CUmemRangeHandleType, unsigned long long)) \
    X(cuMemBatchDecompressAsync, (CUmemDecompressParams *, size_t, unsigned int, size_t *, CUstream)) \
    X(cuMemAddressReserve, (CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long)) \
    X(cuMemAddressFree, (CUdeviceptr, size_t)) \
    X(cuMemCreate, (CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long)) \
    X(cuMemRelease, (CUmemGenericAllocationHandle)) \
    X(cuMemMap, (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long)) \
    X(cuMemMapArrayAsync, (CUarrayMapInfo *, unsigned int, CUstream)) \
    X(cuMemUnmap, (CUdeviceptr, size_t)) \
    X(cuMemSetAccess, (CUdeviceptr, size_t, const CUmemAccessDesc *, size_t)) \
    X(cuMemGetAccess, (unsigned long long *, const CUmemLocation *, CUdeviceptr)) \
    X(cuMemExportToShareableHandle, \
      (void *, CUmemGenericAllocationHandle, CUmemAllocationHandleType, unsigned long long)) \
    X(cuMemImportFromShareableHandle, (CUmemGenericAllocationHandle *, void *, CUmemAllocationHandleType)) \
    X(cuMemGetAllocationGranularity, (size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags)) \
    X(cuMemGetAllocationPropertiesFromHandle, (CUmemAllocationProp *, CUmemGenericAllocationHandle)) \
    X(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle *, void *)) \
    X(cuMemPoolTrimTo, (CUmemoryPool, size_t)) \
    X(cuMemPoolSetAttribute, (CUmemoryPool, CUmemPool_attribute, void *)) \
    X(cuMemPoolGetAttribute, (CUmemoryPool, CUmemPool_attribute, void *)) \
    X(cuMemPoolSetAccess, (CUmemoryPool, const CUmemAccessDesc *, size_t)) \
    X(cuMemPoolGetAccess, (CUmemAccess_flags *, CUmemoryPool, CUmemLocation *)) \
    X(cuMemPoolCreate, (CUmemoryPool *, const CUmemPoolProps *)) \
    X(cuMemPoolDestroy, (CUmemoryPool)) \
    X(cuMemGetDefaultMemPool, (CUmemoryPool *, CUmemLocation *, CUmemAllocationType)) \
    X(cuMemGetMemPool, (CUmemoryPool *, CUmemLocation *, CUmemAllocationType)) \
    X(cuMemSetMemPool, (CUmemLocation *, CUmemAllocationType, CUmemoryPool)) \
    X(cuMemAllocFromPoolAsync, (CUdeviceptr *, size_t, CUmemoryPool, CUstream)) \
    X(cuMemPoolExportToShareableHandle, (void *, CUmemoryPool, CUmemAllocationHandleType, unsigned long long)) \
    X(cuMemPoolImportFromShareableHandle, (CUmemoryPool *, void *, CUmemAllocationHandleType, unsigned long long)) \
    X(cuMemPoolExportPointer, (CUmemPoolPtrExportData *, CUdeviceptr)) \
    X(cuMemPoolImportPointer, (CUdeviceptr *, CUmemoryPool, CUmemPoolPtrExportData *)) \
    X(cuMulticastCreate, (CUmemGenericAllocationHandle *, const CUmulticastObjectProp *)) \
    X(cuMulticastAddDevice, (CUmemGenericAllocationHandle, CUdevice)) \
    X(cuMulticastBindMem, \
      (CUmemGenericAllocationHandle, size_t, CUmemGenericAllocationHandle, size_t, size_t, unsigned long long)) \
    X(cuMulticastBindAddr, (CUmemGenericAllocationHandle, size_t, CUdeviceptr, size_t, unsigned long long)) \
    X(cuMulticastUnbind, (CUmemGenericAllocationHandle, CUdevice, size_t, size_t)) \
    X(cuMulticastGetGranularity, (size_t *, const CUmulticastObjectProp *, CUmulticastGranularity_flags)) \
    X(cuMemPrefetchAsync_v2, (CUdeviceptr, size_t, CUmemLocation, unsigned int, CUstream)) \
    X(cuMemAdvise_v2, (CUdeviceptr, size_t, CUmem_advise, CUmemLocation)) \
    X(cuMemPrefetchBatchAsync, \
      (CUdeviceptr *, size_t *, size_t, CUmemLocation *, size_t *, size_t, unsigned long long, CUstream)) \
    X(cuMemDiscardBatchAsync, (CUdeviceptr *, size_t *, size_t, unsigned long long, CUstream)) \
    X(cuMemDiscardAndPrefetchBatchAsync, \
      (CUdeviceptr *, size_t *, size_t, CUmemLocation *, size_t *, size_t, unsigned long long, CUstream)) \
    X(cuMemRangeGetAttribute, (void *, size_t, CUmem_range_attribute, CUdeviceptr, size_t)) \
    X(cuMemRangeGetAttributes, (void **, size_t *, CUmem_range_attribute *, size_t, CUdeviceptr, size_t)) \
    X(cuPointerSetAttribute, (const void *, CUpointer_attribute, CUdeviceptr)) \
    X(cuPointerGetAttributes, (unsigned int, CUpointer_attribute *, void **, CUdeviceptr)) \
    X(cuStreamGetId, (CUstream, unsigned long long *)) \
    X(cuStreamGetCtx_v2, (CUstream, CUcontext *, CUgreenCtx *)) \
    X(cuStreamAttachMemAsync, (CUstream, CUdeviceptr, size_t, unsigned int)) \
    X(cuStreamCopyAttributes, (CUstream, CUstream)) \
    X(cuStreamGetAttribute, (CUstream, CUstreamAttrID, CUstreamAttrValue *)) \
    X(cuStreamSetAttribute, (CUstream, CUstreamAttrID, const CUstreamAttrValue *)) \
    X(cuImportExternalMemory, (CUexternalMemory *, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *)) \
    X(cuExternalMemoryGetMappedBuffer, (CUdeviceptr *, CUexternalMemory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *)) \
    X(cuExternalMemoryGetMappedMipmappedArray, \
      (CUmipmappedArray *, CUexternalMemory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *)) \
    X(cuDestroyExternalMemory, (CUexternalMemory)) \
    X(cuImportExternalSemaphore, (CUexternalSemaphore *, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *)) \
    X(cuSignalExternalSemaphoresAsync, \
      (const CUexternalSemaphore *, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *, unsigned int, CUstream)) \
    X(cuWaitExternalSemaphoresAsync, \
      (const CUexternalSemaphore *, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *, unsigned int, CUstream)) \
    X(cuDestroyExternalSemaphore, (CUexternalSemaphore)) \
    X(cuStreamWaitValue32_v2, (CUstream, CUdeviceptr, cuuint32_t, unsigned int)) \
    X(cuStreamWaitValue64_v2, (CUstream, CUdeviceptr, cuuint64_t, unsigned int)) \
    X(cuStreamWriteValue32_v2, (CUstream, CUdeviceptr, cuuint32_t, unsigned int)) \
    X(cuStreamWriteValue64_v2, (CUstream, CUdeviceptr, cuuint64_t, unsigned int)) \
    X(cuStreamBatchMemOp_v2, (CUstream, unsigned int, CUstreamBatchMemOpParams *, unsigned int)) \
    X(cuFuncGetParamInfo, (CUfunction, size_t, size_t *, size_t *)) \
    X(cuFuncIsLoaded, (CUfunctionLoadingState *, CUfunction)) \
    X(cuFuncLoad, (CUfunction)) \
    X(cuLaunchCooperativeKernelMultiDevice, (CUDA_LAUNCH_PARAMS *, unsigned int, unsigned int)) \
    X(cuFuncSetBlockShape, (CUfunction, int, int, int)) \
    X(cuFuncSetSharedSize, (CUfunction, unsigned int)) \
    X(cuParamSetSize, (CUfunction, unsigned int)) \
    X(cuParamSeti, (CUfunction, int, unsigned int)) \
    X(cuParamSetf, (CUfunction, int, float)) \
    X(cuParamSetv, (CUfunction, int, void *, unsigned int)) \
    X(cuLaunch, (CUfunction)) \
    X(cuLaunchGrid, (CUfunction, int, int)) \
    X(cuLaunchGridAsync, (CUfunction, int, int, CUstream)) \
    X(cuGraphEventRecordNodeGetEvent, (CUgraphNode, CUevent *)) \
    X(cuGraphEventRecordNodeSetEvent, (CUgraphNode, CUevent)) \
    X(cuGraphEventWaitNodeGetEvent, (CUgraphNode, CUevent *)) \
    X(cuGraphEventWaitNodeSetEvent, (CUgraphNode, CUevent)) \
    X(cuGraphAddExternalSemaphoresSignalNode, \
      (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)) \
    X(cuGraphExternalSemaphoresSignalNodeGetParams, (CUgraphNode, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)) \
    X(cuGraphExternalSemaphoresSignalNodeSetParams, (CUgraphNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)) \
    X(cuGraphAddExternalSemaphoresWaitNode, \
      (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)) \
    X(cuGraphExternalSemaphoresWaitNodeGetParams, (CUgraphNode, CUDA_EXT_SEM_WAIT_NODE_PARAMS *)) \
    X(cuGraphExternalSemaphoresWaitNodeSetParams, (CUgraphNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)) \
    X(cuGraphAddBatchMemOpNode, \
      (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_BATCH_MEM_OP_NODE_PARAMS *)) \
    X(cuGraphBatchMemOpNodeGetParams, (CUgraphNode, CUDA_BATCH_MEM_OP_NODE_PARAMS *)) \
    X(cuGraphBatchMemOpNodeSetParams, (CUgraphNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *)) \
    X(cuGraphExecBatchMemOpNodeSetParams, (CUgraphExec, CUgraphNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *)) \
    X(cuGraphInstantiateWithParams, (CUgraphExec *, CUgraph, CUDA_GRAPH_INSTANTIATE_PARAMS *)) \
    X(cuGraphExecGetFlags, (CUgraphExec, cuuint64_t *)) \
    X(cuGraphExecEventRecordNodeSetEvent, (CUgraphExec, CUgraphNode, CUevent)) \
    X(cuGraphExecEventWaitNodeSetEvent, (CUgraphExec, CUgraphNode, CUevent)) \
    X(cuGraphExecExternalSemaphoresSignalNodeSetParams, \
      (CUgraphExec, CUgraphNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)) \
    X(cuGraphExecExternalSemaphoresWaitNodeSetParams, \
      (CUgraphExec, CUgraphNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)) \
    X(cuGraphKernelNodeCopyAttributes, (CUgraphNode, CUgraphNode)) \
    X(cuGraphKernelNodeGetAttribute, (CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue *)) \
    X(cuGraphKernelNodeSetAttribute, (CUgraphNode, CUkernelNodeAttrID, const CUkernelNodeAttrValue *)) \
    X(cuGraphDebugDotPrint, (CUgraph, const char *, unsigned int)) \
    X(cuUserObjectCreate, (CUuserObject *, void *, CUhostFn, unsigned int, unsigned int)) \
    X(cuUserObjectRetain, (CUuserObject, unsigned int)) \
    X(cuUserObjectRelease, (CUuserObject, unsigned int)) \
    X(cuGraphRetainUserObject, (CUgraph, CUuserObject, unsigned int, unsigned int)) \
    X(cuGraphReleaseUserObject, (CUgraph, CUuserObject, unsigned int)) \
    X(cuGraphNodeSetParams, (CUgraphNode, CUgraphNodeParams *)) \
    X(cuGraphExecNodeSetParams, (CUgraphExec, CUgraphNode, CUgraphNodeParams *)) \
    X(cuOccupancyMaxPotentialClusterSize, (int *, CUfunction, const CUlaunchConfig *)) \
    X(cuOccupancyMaxActiveClusters, (int *, CUfunction, const CUlaunchConfig *)) \
    X(cuTexRefSetMipmappedArray, (CUtexref, CUmipmappedArray, unsigned int)) \
    X(cuTexRefSetMipmapFilterMode, (CUtexref, CUfilter_mode)) \
    X(cuTexRefSetMipmapLevelBias, (CUtexref, float)) \
    X(cuTexRefSetMipmapLevelClamp, (CUtexref, float, float)) \
    X(cuTexRefSetMaxAnisotropy, (CUtexref, unsigned int)) \
    X(cuTexRefSetBorderColor, (CUtexref, float *)) \
    X(cuTexRefGetAddress_v2, (CUdeviceptr *, CUtexref)) \
    X(cuTexRefGetArray, (CUarray *, CUtexref)) \
    X(cuTexRefGetMipmappedArray, (CUmipmappedArray *, CUtexref)) \
    X(cuTexRefGetAddressMode, (CUaddress_mode *, CUtexref, int)) \
    X(cuTexRefGetFilterMode, (CUfilter_mode *, CUtexref)) \
    X(cuTexRefGetFormat, (CUarray_format *, int *, CUtexref)) \
    X(cuTexRefGetMipmapFilterMode, (CUfilter_mode *, CUtexref)) \
    X(cuTexRefGetMipmapLevelBias, (float *, CUtexref)) \
    X(cuTexRefGetMipmapLevelClamp, (float *, float *, CUtexref)) \
    X(cuTexRefGetMaxAnisotropy, (int *, CUtexref)) \
    X(cuTexRefGetBorderColor, (float *, CUtexref)) \
    X(cuTexRefCreate, (CUtexref *)) \
    X(cuTexRefDestroy, (CUtexref)) \
    X(cuSurfRefGetArray, (CUarray *, CUsurfref)) \
    X(cuTexObjectGetResourceViewDesc, (CUDA_RESOURCE_VIEW_DESC *, CUtexObject)) \
    X(cuTensorMapEncodeTiled, (CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, \
                               const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, \
                               CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill)) \
    X(cuTensorMapEncodeIm2col, \
      (CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const int *, \
       const int *, cuuint32_t, cuuint32_t, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, \
       CUtensorMapL2promotion, CUtensorMapFloatOOBfill)) \
    X(cuTensorMapEncodeIm2colWide, \
      (CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, int, int, \
       cuuint32_t, cuuint32_t, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapIm2ColWideMode, \
       CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill)) \
    X(cuTensorMapReplaceAddress, (CUtensorMap *, void *)) \
    X(cuDeviceGetP2PAttribute, (int *, CUdevice_P2PAttribute, CUdevice, CUdevice)) \
    X(cuDeviceGetP2PAtomicCapabilities, (unsigned int *, const CUatomicOperation *, unsigned int, CUdevice, CUdevice)) \
    X(cuGraphicsUnregisterResource, (CUgraphicsResource)) \
    X(cuGraphicsSubResourceGetMappedArray, (CUarray *, CUgraphicsResource, unsigned int, unsigned int)) \
    X(cuGraphicsResourceGetMappedMipmappedArray, (CUmipmappedArray *, CUgraphicsResource)) \
    X(cuGraphicsResourceGetMappedPointer_v2, (CUdeviceptr *, size_t *, CUgraphicsResource)) \
    X(cuGraphicsResourceSetMapFlags_v2, (CUgraphicsResource, unsigned int)) \
    X(cuGraphicsMapResources, (unsigned int, CUgraphicsResource *, CUstream)) \
    X(cuGraphicsUnmapResources, (unsigned int, CUgraphicsResource *, CUstream)) \
    X(cuCoredumpGetAttribute, (CUcoredumpSettings, void *, size_t *)) \
    X(cuCoredumpGetAttributeGlobal, (CUcoredumpSettings, void *, size_t *)) \
    X(cuCoredumpSetAttribute, (CUcoredumpSettings, void *, size_t *)) \
    X(cuCoredumpSetAttributeGlobal, (CUcoredumpSettings, void *, size_t *)) \
    X(cuGetExportTable, (const void **, const CUuuid *)) \
    X(cuGreenCtxCreate, (CUgreenCtx *, CUdevResourceDesc, CUdevice, unsigned int)) \
    X(cuGreenCtxDestroy, (CUgreenCtx)) \
    X(cuCtxFromGreenCtx, (CUcontext *, CUgreenCtx)) \
    X(cuDeviceGetDevResource, (CUdevice, CUdevResource *, CUdevResourceType)) \
    X(cuCtxGetDevResource, (CUcontext, CUdevResource *, CUdevResourceType)) \
    X(cuGreenCtxGetDevResource, (CUgreenCtx, CUdevResource *, CUdevResourceType)) \
    X(cuDevSmResourceSplitByCount, \
      (CUdevResource *, unsigned int *, const CUdevResource *, CUdevResource *, unsigned int, unsigned int)) \
    X(cuDevResourceGenerateDesc, (CUdevResourceDesc *, CUdevResource *, unsigned int)) \
    X(cuGreenCtxRecordEvent, (CUgreenCtx, CUevent)) \
    X(cuGreenCtxWaitEvent, (CUgreenCtx, CUevent)) \
    X(cuStreamGetGreenCtx, (CUstream, CUgreenCtx *)) \
    X(cuGreenCtxStreamCreate, (CUstream *, CUgreenCtx, unsigned int, int)) \
    X(cuGreenCtxGetId, (CUgreenCtx, unsigned long long *)) \
    X(cuLogsRegisterCallback, (CUlogsCallback, void *, CUlogsCallbackHandle *)) \
    X(cuLogsUnregisterCallback, (CUlogsCallbackHandle)) \
    X(cuLogsCurrent, (CUlogIterator *, unsigned int)) \
    X(cuLogsDumpToFile, (CUlogIterator *, const char *, unsigned int)) \
    X(cuLogsDumpToMemory, (CUlogIterator *, char *, size_t *, unsigned int)) \
    X(cuCheckpointProcessGetRestoreThreadId, (int, int *)) \
    X(cuCheckpointProcessGetState, (int, CUprocessState *)) \
    X(cuCheckpointProcessLock, (int, CUcheckpointLockArgs *)) \
    X(cuCheckpointProcessCheckpoint, (int, CUcheckpointCheckpointArgs *)) \
    X(cuCheckpointProcessRestore, (int, CUcheckpointRestoreArgs *)) \
    X(cuCheckpointProcessUnlock, (int, CUcheckpointUnlockArgs *))
