import type { EndpointAccess } from '../ports/endpoint-statistics.ts';
import type { Target } from './route-plan.ts';

/** The name under which outcomes with a credential are counted; undefined for the operator's only or first one. */
export function credentialName({ credential, sharedKey }: Target): string | undefined {
  return credential?.id ?? (sharedKey === undefined ? undefined : sharedKeyName(sharedKey));
}

/** What outcomes of a target count for. */
export function accessOf(target: Target): EndpointAccess {
  return { endpoint: target.endpoint, credentialId: credentialName(target) };
}

/** The position of the operator's credential that served, where there are several; undefined elsewhere. */
export function keyPosition({ endpoint, credential, sharedKey = 1 }: Target): number | undefined {
  return credential === undefined && endpoint.provider.sharedKeys !== undefined ? sharedKey : undefined;
}

/** The name under which outcomes with a further credential of the operator are counted. @param position From 1. */
export function sharedKeyName(position: number): string {
  return `key ${position}`;
}
