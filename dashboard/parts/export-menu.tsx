import { useState } from 'preact/hooks';
import { request } from '../api/client.ts';
import { messageOf } from '../api/errors.ts';
import { download } from './download.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';

interface ExportMenuProps {
  /** The route that makes the file, below the interface. */
  readonly path: string;
  /** What it is asked besides the format, at the moment somebody asks. */
  readonly query: () => Readonly<Record<string, string>>;
  /** The name of the file, without its ending. */
  readonly name: string;
}

/** All of a list as a file, not only what the page shows. Times are UTC. */
export function ExportMenu({ path, query, name }: ExportMenuProps) {
  const [said, setSaid] = useState<string>();
  const make = async (format: 'csv' | 'jsonl') => {
    setSaid('Reading…');
    try {
      const response = await request('GET', `ui/api/${path}`, { query: { ...query(), format } });
      download(`${name}.${format}`, await response.blob().catch(refuseHalf));
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
