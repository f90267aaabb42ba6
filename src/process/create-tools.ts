import type { Config } from '../config/config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { resolveSlug } from '../core/resolve-slug.ts';
import { requestTimeoutWhileThinking } from '../core/thinking-time.ts';
import type { ReadPdf } from '../documents/pdf-reader.ts';
import type { EgressGuard } from '../egress/egress-guard.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import type { Services } from '../pipeline/services.ts';
import { createDriver } from '../sandbox/create-driver.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import type { ApprovalSeal } from '../secrets/approval-seal.ts';
import { advisorTool } from '../server-tools/advisor/advisor-tool.ts';
import { applyPatchTool } from '../server-tools/apply-patch/apply-patch-tool.ts';
import { datetimeTool } from '../server-tools/datetime/datetime-tool.ts';
import { filesTool } from '../server-tools/files/files-tool.ts';
import { fusionTool } from '../server-tools/fusion/fusion-tool.ts';
import { imageGenerationTool } from '../server-tools/image-generation/image-generation-tool.ts';
import { finalTurnTime } from '../server-tools/loop-budget.ts';
import { McpApprovals } from '../server-tools/mcp/mcp-approvals.ts';
import { McpLists } from '../server-tools/mcp/mcp-lists.ts';
import { mcpTool } from '../server-tools/mcp/mcp-tool.ts';
import { searchModelsTool } from '../server-tools/search-models/search-models-tool.ts';
import type { ServerTool } from '../server-tools/server-tool.ts';
import { bashTool } from '../server-tools/shell/bash-tool.ts';
import { shellTool } from '../server-tools/shell/shell-tool.ts';
import { subagentTool } from '../server-tools/subagent/subagent-tool.ts';
import { toolSearchTool } from '../server-tools/tool-search/tool-search-tool.ts';
import { webFetchTool } from '../server-tools/web-fetch/web-fetch-tool.ts';
import { webSearchTool } from '../server-tools/web-search/web-search-tool.ts';
import { WebFetch } from '../web-fetch/web-fetch.ts';
import type { WebSearch } from '../web-search/web-search.ts';
import { keepPicture } from './keep-picture.ts';

/** What tools and stages share that reach the web. */
export interface WebAccess {
  readonly guard: EgressGuard;
  readonly search: WebSearch;
  readonly readPdf: ReadPdf;
  readonly isolated: Isolated;
}

/** Child processes for what strangers sent: for tasks of at most some seconds, and for documents and pages, which take longer. */
export interface Isolated {
  readonly quick: IsolatedProcesses;
  readonly documents: IsolatedProcesses;
}

/** What tools are made of. */
export interface ToolParts {
  readonly tools?: readonly ServerTool[];
  readonly approvalSeal: ApprovalSeal;
  readonly files: StoredFiles;
  readonly catalogue: () => Catalogue;
}

/** The tools that the gateway runs, and how long their loop may take. */
export function createTools(
  current: { readonly config: Config },
  { guard, search, readPdf, isolated }: WebAccess,
  { tools = [], approvalSeal, files, catalogue }: ToolParts,
): Pick<Services, 'tools' | 'loopDeadline' | 'loopLimits'> & { readonly sandbox: Sandbox } {
  const settings = () => current.config.tools;
  const sandbox = new Sandbox(() => settings().sandbox, createDriver);
  void sandbox.endLeftBehind();
  const fetch = new WebFetch(guard, isolated.documents, readPdf);
  return {
    sandbox,
    tools: [
      datetimeTool(),
      webSearchTool(search),
      webFetchTool(fetch, () => settings().webFetch),
      searchModelsTool,
      advisorTool,
      subagentTool,
      applyPatchTool,
      toolSearchTool(isolated.quick),
      fusionTool({
        panels: () => settings().fusion.panels,
        usualTools: () => panelTools(search, settings()),
      }),
      mcpTool({
        settings: () => settings().mcp,
        egress: () => settings().egress,
        approvals: new McpApprovals(approvalSeal),
        lists: new McpLists(),
      }),
      filesTool(files, () => settings().files.enabled),
      imageGenerationTool({
        model: () => settings().imageGeneration.model,
        isReady: () => resolveSlug(settings().imageGeneration.model, catalogue()).outcome === 'model',
        keep: (owner, picture) => keepPicture(owner, picture, files, settings().files.enabled),
      }),
      shellTool(sandbox),
      bashTool(sandbox),
      ...tools,
    ],
    loopDeadline: (receivedAt, thinks) => {
      const { requestTimeout } = current.config.server;
      const time = thinks ? requestTimeoutWhileThinking(requestTimeout) : requestTimeout;
      return receivedAt + time - finalTurnTime;
    },
    loopLimits: () => settings().loop,
  };
}

/** The tools of a panel where the request names none, as far as they are to be had here. */
function panelTools(search: WebSearch, { webFetch }: Config['tools']): readonly string[] {
  return [
    ...(search.find() === undefined ? [] : ['service:web_search']),
    ...(webFetch.enabled ? ['service:web_fetch'] : []),
  ];
}
