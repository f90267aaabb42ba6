import { preferences } from '../state/preferences.ts';
import { decimalUsd, exactUsd, usd } from '../text/format.ts';

/** An amount of nano-USD to read; the exact one is in its title and, where preferred, in sight. */
export function Money({ nano }: { readonly nano: string | bigint }) {
  const exact = exactUsd(nano);
  return (
    <span class="number" title={exact} data-exact={decimalUsd(nano)}>
      {preferences.value.exact ? exact : usd(nano)}
    </span>
  );
}
