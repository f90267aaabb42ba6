import { ExportMenu as Menu } from '../../parts/export-menu.tsx';
import { chosenRange } from '../../state/range.ts';

/** All matching requests as a file, not only those of the page. */
export function ExportMenu({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const query = () => {
    const { from, to } = chosenRange();
    return { ...filters, from, to };
  };
  return <Menu path="generations/export" query={query} name="requests" />;
}
