import type { Endpoint } from '../state/endpoints.ts';
import { State } from './state.tsx';

/** How an endpoint is, from the numbers of the interface. */
export function EndpointState({ status }: Pick<Endpoint, 'status'>) {
  switch (status) {
    case 0:
      return <State tone="good">up</State>;
    case -1:
      return <State tone="warn">degraded</State>;
    case -2:
      return <State tone="bad">down</State>;
    case -3:
      return <State tone="warn">rate limited</State>;
    default:
      return <State tone="muted">deprecated</State>;
  }
}

/** The worst state of several endpoints, in one word. */
export function worstOf(endpoints: readonly Endpoint[]): number {
  const order = [0, -5, -3, -1, -2];
  return endpoints.reduce(
    (worst, { status }) => (order.indexOf(status) > order.indexOf(worst) ? status : worst),
    0,
  );
}
