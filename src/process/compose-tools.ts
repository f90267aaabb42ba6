import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import { resolveSlug } from '../core/resolve-slug.ts';
import { requestTimeoutWhileThinking } from '../core/thinking-time.ts';
import { scanEngine } from '../documents/engines/scan-engine.ts';
import { createPdfReader, type ReadPdf } from '../documents/pdf-reader.ts';
import { apiBase } from '../edge/route.ts';
import { EgressGuard } from '../egress/egress-guard.ts';
import { FileDirectory } from '../files/file-directory.ts';
import { StoredFiles } from '../files/stored-files.ts';
import { ContentScanner } from '../guardrails/content-scanner.ts';
import { EntityScanner } from '../guardrails/entity-scanner.ts';
import { GuardrailDirectory } from '../guardrails/guardrail-directory.ts';
import { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import type { Services } from '../pipeline/services.ts';
import { systemClock } from '../ports/clock.ts';
import type { FileOwner } from '../ports/files.ts';
import type { Storage } from '../ports/storage.ts';
import { createDriver } from '../sandbox/create-driver.ts';
import { Sandbox } from '../sandbox/sandbox.ts';
import type { ApprovalSeal } from '../secrets/approval-seal.ts';
import { advisorTool } from '../server-tools/advisor/advisor-tool.ts';
import { applyPatchTool } from '../server-tools/apply-patch/apply-patch-tool.ts';
import { datetimeTool } from '../server-tools/datetime/datetime-tool.ts';
import { filesTool } from '../server-tools/files/files-tool.ts';
import { fusionTool } from '../server-tools/fusion/fusion-tool.ts';
import { imageGenerationTool } from '../server-tools/image-generation/image-generation-tool.ts';
import type { Picture } from '../server-tools/image-generation/read-picture.ts';
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
import { createFileParser } from '../stages/file-parser/file-parser.ts';
import type { FileParserServices } from '../stages/file-parser/read-file.ts';
import { gatewayStages } from '../stages/gateway-stages.ts';
import { createInputScan } from '../stages/input-scan/input-scan.ts';
import { createModeration } from '../stages/moderation/moderation.ts';
import { inOrder } from '../stages/order.ts';
import { createOwnFiles } from '../stages/own-files/own-files.ts';
import type { Stage } from '../stages/stage.ts';
import { createWebPlugin } from '../stages/web-search/web-plugin.ts';
import { Slots } from '../waiting/slots.ts';
import { WebFetch } from '../web-fetch/web-fetch.ts';
import { WebSearch } from '../web-search/web-search.ts';
import { filesDirectory } from './open-database.ts';

/** What guards requests: the guardrails, what scans texts for them, the stages in their order, and the tools; and the files. */
export function createGuarding(
  current: { readonly config: Config },
  parts: FileHolders & {
    readonly stages?: readonly Stage[];
    readonly tools?: readonly ServerTool[];
    readonly approvalSeal: ApprovalSeal;
    readonly catalogue: () => Catalogue;
  },
) {
  const { stages = [], tools = [], approvalSeal, catalogue } = parts;
  const files = createFiles(current, parts);
  const guardrails = new GuardrailDirectory(() => current.config.guardrails);
  const isolated = createIsolated();
  const scanner = new EntityScanner(() => current.config.entityAnalyzer, new ContentScanner(isolated.quick));
  const web: WebAccess = {
    guard: new EgressGuard(() => current.config.tools.egress),
    search: new WebSearch(() => current.config.tools.webSearch.engines),
    readPdf: createPdfReader(isolated.documents),
    isolated,
  };
  return {
    guardrails,
    scanner,
    files,
    isolated,
    ...createTools(current, web, { tools, approvalSeal, files, catalogue }),
    stages: inOrder([
      ...gatewayStages(isolated.quick),
      createOwnFiles((owner, id) => files.read(owner, id)),
      createInputScan({ guardrails, scanner }),
      createModeration({
        backend: () => current.config.plugins.moderation,
        catalogue: () => current.config.catalogue,
      }),
      createFileParser(fileServices(current, web)),
      createWebPlugin(web.search),
      ...stages,
    ]),
  };
}

const mebi = 1024 * 1024;

/** The child processes that work on what strangers sent (docs/spec/isolation.md). */
function createIsolated(): Isolated {
  return {
    quick: new IsolatedProcesses(),
    documents: new IsolatedProcesses({
      heap: 256 * mebi,
      memory: 400 * mebi,
      stepsBack: true,
      waiting: 64,
      wait: 60_000,
    }),
  };
}

/** Files that are fetched, or are with the engine, at the same time; each may have 25 MiB. */
const filesAtOnce = 8;
const filesWaiting = 256;

/** What files are read with, as the configuration has it at the moment. */
function fileServices(
  current: { readonly config: Config },
  { guard, readPdf, isolated }: WebAccess,
): FileParserServices {
  const settings = () => current.config.plugins.fileParser;
  return {
    guard,
    readPdf,
    slots: new Slots(filesAtOnce, filesWaiting),
    limits: () => settings().limits,
    ocr: () => {
      const { ocr } = settings();
      return ocr && scanEngine(ocr, isolated.documents);
    },
  };
}

/** What tools and stages share that reach the web. */
interface WebAccess {
  readonly guard: EgressGuard;
  readonly search: WebSearch;
  readonly readPdf: ReadPdf;
  readonly isolated: Isolated;
}

/** Child processes for what strangers sent: for tasks of at most some seconds, and for documents and pages, which take longer. */
interface Isolated {
  readonly quick: IsolatedProcesses;
  readonly documents: IsolatedProcesses;
}

/** What tools are made of. */
interface ToolParts {
  readonly tools?: readonly ServerTool[];
  readonly approvalSeal: ApprovalSeal;
  readonly files: StoredFiles;
  readonly catalogue: () => Catalogue;
}

/** The tools that the gateway runs, and how long their loop may take. */
function createTools(
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

/** What files are stored in, and where their failures are logged. */
interface FileHolders {
  readonly storage: Storage;
  readonly log: Pick<Logger, 'error'>;
}

/** The files of the installation, in the directory that the configuration names when the server starts. */
function createFiles(current: { readonly config: Config }, { storage, log }: FileHolders): StoredFiles {
  const directory = new FileDirectory(filesDirectory(current.config));
  return new StoredFiles({
    store: storage.files,
    directory,
    clock: systemClock,
    room: () => {
      const { files, fileBytes: bytes } = current.config.limits.stored;
      return { files, bytes };
    },
    onFailure: (err) => log.error({ err }, 'files whose time is over cannot be removed'),
  });
}

/** How long pictures are kept that the gateway had made, in milliseconds. */
const lifetime = 24 * 60 * 60_000;

/**
 * Keeps a picture among the files of its owner. Returns the path of its contents; undefined where files are off, or there is
 * no room for it.
 */
async function keepPicture(
  owner: FileOwner,
  { base64, mimeType }: Picture,
  files: StoredFiles,
  isEnabled: boolean,
): Promise<string | undefined> {
  if (!isEnabled || base64 === undefined) return undefined;
  const contents = Buffer.from(base64, 'base64');
  const filename = `picture.${mimeType.replace('image/', '')}`;
  try {
    const { id } = await files.add(owner, { filename, mimeType, contents, lifetime });
    return `${apiBase}/files/${id}/content`;
  } catch (error) {
    if (error instanceof HeadgateError && error.code === 'payload_too_large') return undefined;
    throw error;
  }
}
