import type { Tool } from '../../../core/request.ts';
import { contradictory, quote } from '../../../schema/fault.ts';

/** Sees to it that no two tools of one list share a name (docs/spec/errors.md#400-or-422). */
export class ToolNames {
  readonly #places = new Map<string, string>();

  /**
   * Gives a tool its name.
   * @throws HeadgateError `unprocessable` when an earlier tool has it; for MCP servers the label is the name.
   */
  take(tool: Tool, path: string): void {
    const [member, name] =
      tool.kind === 'hosted'
        ? (['server_label', tool.settings.server_label] as const)
        : (['name', tool.name] as const);
    if (typeof name !== 'string') return;
    const key = `${member} ${name}`;
    const earlier = this.#places.get(key);
    if (earlier !== undefined) {
      throw contradictory(
        `${path}.${member}`,
        `${quote(name)} is already the ${words[member]} of ${earlier}`,
      );
    }
    this.#places.set(key, path);
  }
}

const words = { name: 'name', server_label: 'label' };
