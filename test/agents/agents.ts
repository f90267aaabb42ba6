import type { SeenRequest } from '../dialects/dialect-script.ts';
import type { AgentRun } from './run-agent.ts';
import { slug } from './scripted-model.ts';

/** The file every agent is asked to write, and what it shall say. */
export const greeting = { file: 'hello.txt', text: 'Hello from the model\n' } as const;

/** A coding agent from npm. */
export interface Agent {
  readonly name: string;
  /** What to install. */
  readonly package: string;
  readonly program: string;
  /** How to run it on a task, at a gateway with a key. */
  run(at: { readonly url: string; readonly key: string }): Omit<AgentRun, 'command'>;
  /** The call of its own tools that writes the file; undefined where the request offers no such tool. */
  call(request: SeenRequest): { readonly name: string; readonly arguments: unknown } | undefined;
}

const task = `Write ${greeting.file} with a greeting.`;
const shell = `printf '${greeting.text.replace('\n', '\\n')}' > ${greeting.file}`;

const claudeCode: Agent = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  program: 'claude',
  run: ({ url, key }) => ({
    args: ['-p', task, '--permission-mode', 'acceptEdits'],
    environment: {
      ANTHROPIC_BASE_URL: `${url}/api`,
      ANTHROPIC_AUTH_TOKEN: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
  call: ({ tools }) =>
    tools.some(({ name }) => name === 'Write')
      ? { name: 'Write', arguments: { file_path: greeting.file, content: greeting.text } }
      : undefined,
};

const codex: Agent = {
  name: 'Codex',
  package: '@openai/codex',
  program: 'codex',
  run: ({ url, key }) => ({
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', task],
    environment: { HEADGATE_API_KEY: key },
    homeFiles: {
      '.codex/config.toml': [
        `model = "${slug}"`,
        'model_provider = "headgate"',
        'web_search = "disabled"',
        '[model_providers.headgate]',
        'name = "Headgate"',
        `base_url = "${url}/api/v1"`,
        'env_key = "HEADGATE_API_KEY"',
        'wire_api = "responses"',
        '[features]',
        'multi_agent = false',
        '[analytics]',
        'enabled = false',
      ].join('\n'),
    },
  }),
  call: ({ tools }) => {
    const names = tools.map(({ name }) => name);
    if (names.includes('exec_command')) return { name: 'exec_command', arguments: { cmd: shell } };
    if (names.includes('shell_command')) return { name: 'shell_command', arguments: { command: shell } };
    return names.includes('shell')
      ? { name: 'shell', arguments: { command: ['bash', '-lc', shell] } }
      : undefined;
  },
};

const opencode: Agent = {
  name: 'opencode',
  package: 'opencode-ai',
  program: 'opencode',
  run: ({ url, key }) => ({
    args: ['run', '--model', `headgate/${slug}`, task],
    environment: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    homeFiles: {
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        provider: {
          headgate: {
            npm: '@ai-sdk/anthropic',
            name: 'Headgate',
            options: { baseURL: `${url}/api/v1`, apiKey: key },
            models: { [slug]: { name: 'Atlas' } },
          },
        },
      }),
    },
  }),
  call: ({ tools }) =>
    tools.some(({ name }) => name === 'write')
      ? { name: 'write', arguments: { filePath: `${greeting.file}`, content: greeting.text } }
      : undefined,
};

/** The agents that are tried, in the order of docs/clients.md. */
export const agents: readonly Agent[] = [claudeCode, codex, opencode];
