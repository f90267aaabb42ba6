import type { ComponentChildren } from 'preact';
import { type Column, hiddenColumns } from '../state/table-choices.ts';

interface ListTableProps {
  /** The name of the list, which choices are kept under. */
  readonly list: string;
  readonly columns: readonly Column[];
  /** Whether rows end with a menu. */
  readonly hasActions?: boolean;
  readonly class?: string;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A list as a table: the heads of its columns, without those that somebody has hidden. */
export function ListTable({
  list,
  columns,
  hasActions = false,
  class: look = 'fluid',
  children,
}: ListTableProps) {
  return (
    <div class={`table-wrap ${hiddenColumns(list, columns)}`}>
      <table class={`table ${look}`}>
        <thead>
          <tr>
            {columns.map(({ name, look: cell, title }) => (
              <th key={name} scope="col" class={cell} title={title}>
                {name}
              </th>
            ))}
            {hasActions && (
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
