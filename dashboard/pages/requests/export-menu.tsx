import { useState } from 'preact/hooks';
import { request } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { download } from '../../parts/download.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { chosenRange } from '../../state/range.ts';

/** All matching requests as a file, not only those of the page. Times are UTC. */
export function ExportMenu({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const [said, setSaid] = useState<string>();
  const make = async (format: 'csv' | 'jsonl') => {
    setSaid('Reading…');
    try {
      const { from, to } = chosenRange();
      const query = { ...filters, from, to, format };
      const response = await request('GET', 'ui/api/generations/export', { query });
      download(`requests.${format}`, await response.blob().catch(refuseHalf));
      setSaid(undefined);
    } catch (error) {
      setSaid(messageOf(error));
    }
  };
  return (
    <>
      {said !== undefined && (
        <span class="hint" role="status">
          {said}
        </span>
      )}
      <Menu
        label="Export"
        buttonClass="button"
        button={
          <>
            <Icon name="download" /> Export
          </>
        }
      >
        <button type="button" onClick={() => void make('csv')}>
          CSV
        </button>
        <button type="button" onClick={() => void make('jsonl')}>
          JSON lines
        </button>
      </Menu>
    </>
  );
}

/** The server ends the connection where it cannot go on. */
function refuseHalf(cause: unknown): never {
  throw new Error('The file was cut off on its way, and nothing was saved. Try again.', { cause });
}
