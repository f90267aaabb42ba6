/** How an endpoint's weights may be quantized (docs/spec/catalogue.md#endpoints). */
export const quantizationNames = [
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
  'unknown',
] as const;
