import { useState } from 'preact/hooks';
import { messageOf } from '../../api/errors.ts';
import { download } from '../../parts/download.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { csvOf } from '../../text/csv.ts';
import { count } from '../../text/format.ts';
import { type CallRow, readAll } from './use-calls.ts';

/** Rows that one file holds at most. */
const most = 20_000;

/** All matching requests as a file, not only those of the page. Times are UTC. */
export function ExportMenu({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const [said, setSaid] = useState<string>();
  const make = async (format: 'csv' | 'jsonl') => {
    setSaid('Reading…');
    try {
      const { rows, isWhole } = await readAll(filters, most);
      const text =
        format === 'csv' ? csvOf(csvRows(rows)) : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      download(`requests.${format}`, format === 'csv' ? 'text/csv' : 'application/jsonl', text);
      setSaid(
        isWhole
          ? `${count(rows.length)} requests`
          : `The newest ${count(rows.length)}; choose a shorter range for the rest`,
      );
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

function csvRows(rows: readonly CallRow[]): (string | number | boolean | null)[][] {
  const [first] = rows;
  if (first === undefined) return [['no requests']];
  const names = Object.keys(first) as (keyof CallRow)[];
  return [names, ...rows.map((row) => names.map((name) => row[name]))];
}
