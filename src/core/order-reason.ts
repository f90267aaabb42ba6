/** What put an endpoint where it stands in a plan (docs/spec/routing.md#why-in-this-order). */
export const orderReasons = [
  'only',
  'sticky',
  'drawn',
  'speed_wanted',
  'model',
  'credential',
  'order',
  'service_tier',
  'own_endpoint',
  'health',
  'tool_calls',
  'speed',
  'price',
  'name',
] as const;

export type OrderReason = (typeof orderReasons)[number];
