// Made by `npm run docs` from src/interface; a test compares the two.

/** What can be asked of a server, by the name of the operation. */
export interface Operations {
  /** Generate a response. */
  createResponse: {
    method: 'POST'; path: '/api/v1/responses';
    params: undefined; query: undefined;
    body: ResponsesRequest; answer: Response;
    events: StreamEvent;
  };
  /** Open a WebSocket for responses, one after the other. */
  connectResponses: {
    method: 'GET'; path: '/api/v1/responses';
    params: undefined; query: undefined;
    body: undefined; answer: StreamEvent;
  };
  /** Replace a conversation by a sealed summary that later requests can go on from. */
  compactResponse: {
    method: 'POST'; path: '/api/v1/responses/compact';
    params: undefined; query: undefined;
    body: CompactionRequest; answer: Compaction;
  };
  /** Where a response would be generated, at which cost, and why; nothing is sent or charged. */
  planResponse: {
    method: 'POST'; path: '/api/v1/responses/plan';
    params: undefined; query: {
      /** Ask the classifying model of service/auto, which is charged */
      readonly classify?: "true";
    };
    body: ResponsesRequest; answer: RoutePlan;
  };
  /** Generate a chat completion. */
  createChatCompletion: {
    method: 'POST'; path: '/api/v1/chat/completions';
    params: undefined; query: undefined;
    body: ChatRequest; answer: ChatCompletion;
    events: ChatChunk;
  };
  /** Make vectors of texts. */
  createEmbeddings: {
    method: 'POST'; path: '/api/v1/embeddings';
    params: undefined; query: undefined;
    body: EmbeddingsRequest; answer: Embeddings;
  };
  /** What the key in use may do and has spent. */
  getCurrentKey: {
    method: 'GET'; path: '/api/v1/key';
    params: undefined; query: undefined;
    body: undefined; answer: KeyInformation;
  };
  /** Generate a message. */
  createMessage: {
    method: 'POST'; path: '/api/v1/messages';
    params: undefined; query: undefined;
    body: MessagesRequest; answer: Message;
    events: MessageEvent;
  };
  /** How many tokens the input of a message has. */
  countMessageTokens: {
    method: 'POST'; path: '/api/v1/messages/count_tokens';
    params: undefined; query: undefined;
    body: MessagesRequest; answer: TokenCount;
  };
  /** All models. */
  listModels: {
    method: 'GET'; path: '/api/v1/models';
    params: undefined; query: {
      readonly offset?: number;
      /** With neither, all are listed */
      readonly limit?: number;
      /** What has no data comes last */
      readonly sort?: "most-popular" | "top-weekly" | "newest" | "pricing-low-to-high" | "pricing-high-to-low" | "context-high-to-low" | "throughput-high-to-low" | "latency-low-to-high" | "intelligence-high-to-low" | "coding-high-to-low" | "agentic-high-to-low" | "design-arena-elo-high-to-low";
      readonly output_modalities?: string;
      readonly input_modalities?: string;
      readonly supported_parameters?: string;
      readonly category?: "programming" | "roleplay" | "marketing" | "marketing/seo" | "technology" | "science" | "translation" | "legal" | "finance" | "health" | "trivia" | "academia";
      readonly q?: string;
      readonly context?: number;
      readonly min_price?: number;
      readonly max_price?: number;
      readonly min_output_price?: number;
      readonly max_output_price?: number;
      readonly arch?: string;
      readonly model_authors?: string;
      readonly providers?: string;
      readonly distillable?: "true" | "false";
      readonly zdr?: "true";
      readonly region?: "eu" | "us";
      readonly min_age_days?: number;
      readonly max_age_days?: number;
      readonly min_intelligence_index?: number;
      readonly max_intelligence_index?: number;
      readonly min_coding_index?: number;
      readonly max_coding_index?: number;
      readonly min_agentic_index?: number;
      readonly max_agentic_index?: number;
      readonly min_tool_success_rate?: number;
      readonly max_tool_success_rate?: number;
      /** Also models that the key may not use; needs a management key */
      readonly all?: "true" | "false";
    };
    body: undefined; answer: ModelList;
  };
  /** The models that make vectors. */
  listEmbeddingModels: {
    method: 'GET'; path: '/api/v1/embeddings/models';
    params: undefined; query: {
      /** Also models that the key may not use; needs a management key */
      readonly all?: "true" | "false";
      readonly offset?: number;
      readonly limit?: number;
    };
    body: undefined; answer: ModelList;
  };
  /** How many models there are. */
  countModels: {
    method: 'GET'; path: '/api/v1/models/count';
    params: undefined; query: {
      /** Also models that the key may not use; needs a management key */
      readonly all?: "true" | "false";
      readonly output_modalities?: string;
      readonly input_modalities?: string;
      readonly supported_parameters?: string;
      readonly category?: "programming" | "roleplay" | "marketing" | "marketing/seo" | "technology" | "science" | "translation" | "legal" | "finance" | "health" | "trivia" | "academia";
      readonly q?: string;
      readonly context?: number;
      readonly min_price?: number;
      readonly max_price?: number;
      readonly min_output_price?: number;
      readonly max_output_price?: number;
      readonly arch?: string;
      readonly model_authors?: string;
      readonly providers?: string;
      readonly distillable?: "true" | "false";
      readonly zdr?: "true";
      readonly region?: "eu" | "us";
      readonly min_age_days?: number;
      readonly max_age_days?: number;
      readonly min_intelligence_index?: number;
      readonly max_intelligence_index?: number;
      readonly min_coding_index?: number;
      readonly max_coding_index?: number;
      readonly min_agentic_index?: number;
      readonly max_agentic_index?: number;
      readonly min_tool_success_rate?: number;
      readonly max_tool_success_rate?: number;
    };
    body: undefined; answer: ModelCount;
  };
  /** The models the account may use. */
  listUsableModels: {
    method: 'GET'; path: '/api/v1/models/user';
    params: undefined; query: {
      readonly offset?: number;
      /** With neither, all are listed */
      readonly limit?: number;
      /** What has no data comes last */
      readonly sort?: "most-popular" | "top-weekly" | "newest" | "pricing-low-to-high" | "pricing-high-to-low" | "context-high-to-low" | "throughput-high-to-low" | "latency-low-to-high" | "intelligence-high-to-low" | "coding-high-to-low" | "agentic-high-to-low" | "design-arena-elo-high-to-low";
      readonly output_modalities?: string;
      readonly input_modalities?: string;
      readonly supported_parameters?: string;
      readonly category?: "programming" | "roleplay" | "marketing" | "marketing/seo" | "technology" | "science" | "translation" | "legal" | "finance" | "health" | "trivia" | "academia";
      readonly q?: string;
      readonly context?: number;
      readonly min_price?: number;
      readonly max_price?: number;
      readonly min_output_price?: number;
      readonly max_output_price?: number;
      readonly arch?: string;
      readonly model_authors?: string;
      readonly providers?: string;
      readonly distillable?: "true" | "false";
      readonly zdr?: "true";
      readonly region?: "eu" | "us";
      readonly min_age_days?: number;
      readonly max_age_days?: number;
      readonly min_intelligence_index?: number;
      readonly max_intelligence_index?: number;
      readonly min_coding_index?: number;
      readonly max_coding_index?: number;
      readonly min_agentic_index?: number;
      readonly max_agentic_index?: number;
      readonly min_tool_success_rate?: number;
      readonly max_tool_success_rate?: number;
    };
    body: undefined; answer: ModelList;
  };
  /** Who serves a model, at which prices and how well. */
  listEndpoints: {
    method: 'GET'; path: '/api/v1/models/{author}/{slug}/endpoints';
    params: { author: string; slug: string }; query: undefined;
    body: undefined; answer: ModelEndpoints;
  };
  /** One model, by id, former id, alias or variant. */
  getModel: {
    method: 'GET'; path: '/api/v1/model/{author}/{slug}';
    params: { author: string; slug: string }; query: undefined;
    body: undefined; answer: ModelAnswer;
  };
  /** The endpoints that keep nothing of what is sent. */
  listZeroRetentionEndpoints: {
    method: 'GET'; path: '/api/v1/endpoints/zdr';
    params: undefined; query: {
      /** Also models that the key may not use; needs a management key */
      readonly all?: "true" | "false";
    };
    body: undefined; answer: EndpointList;
  };
  /** The endpoints of all models, with their states and figures. */
  listAllEndpoints: {
    method: 'GET'; path: '/api/v1/endpoints';
    params: undefined; query: {
      /** Also models that the key may not use; needs a management key */
      readonly all?: "true" | "false";
    };
    body: undefined; answer: EndpointList;
  };
  /** The providers in service. */
  listProviders: {
    method: 'GET'; path: '/api/v1/providers';
    params: undefined; query: {
      /** Also those that only a credential of the account makes usable */
      readonly all?: "true" | "false";
    };
    body: undefined; answer: ProviderList;
  };
  /** How the providers in service are reached; only for operators. */
  listProviderConnections: {
    method: 'GET'; path: '/api/v1/providers/connections';
    params: undefined; query: undefined;
    body: undefined; answer: ProviderConnectionList;
  };
  /** Ask a provider once for its model list and compare it with the catalogue; only for operators. */
  checkProvider: {
    method: 'POST'; path: '/api/v1/providers/{slug}/check';
    params: { slug: string }; query: undefined;
    body: undefined; answer: ProviderCheck;
  };
  /** How the endpoints of all models do, and since when; for operators with the kinds of failures. */
  listEndpointHealth: {
    method: 'GET'; path: '/api/v1/endpoints/health';
    params: undefined; query: undefined;
    body: undefined; answer: EndpointHealthList;
  };
  /** The inference keys, newest first, a hundred at a time. */
  listKeys: {
    method: 'GET'; path: '/api/v1/keys';
    params: undefined; query: { readonly offset?: number; readonly workspace_id?: string; readonly include_disabled?: "true" | "false" };
    body: undefined; answer: KeyList;
  };
  /** Create a key. */
  createKey: {
    method: 'POST'; path: '/api/v1/keys';
    params: undefined; query: undefined;
    body: CreateKey; answer: CreatedKey;
  };
  /** One key. */
  getKey: {
    method: 'GET'; path: '/api/v1/keys/{hash}';
    params: { hash: string }; query: undefined;
    body: undefined; answer: KeyAnswer;
  };
  /** All that limits or changes the requests of a key, each with where it comes from. */
  getKeyRules: {
    method: 'GET'; path: '/api/v1/keys/{hash}/rules';
    params: { hash: string }; query: undefined;
    body: undefined; answer: KeyRules;
  };
  /** Change a key. */
  updateKey: {
    method: 'PATCH'; path: '/api/v1/keys/{hash}';
    params: { hash: string }; query: {
      /** Needed to lock out the key that makes the change */
      readonly force?: "true" | "false";
    };
    body: UpdateKey; answer: KeyAnswer;
  };
  /** Give a key a new secret; all else of it stays. */
  rotateKey: {
    method: 'POST'; path: '/api/v1/keys/{hash}/rotate';
    params: { hash: string }; query: undefined;
    body: RotateKey; answer: RotatedKey;
  };
  /** Delete a key. */
  deleteKey: {
    method: 'DELETE'; path: '/api/v1/keys/{hash}';
    params: { hash: string }; query: undefined;
    body: undefined; answer: Deleted;
  };
  /** The account's own provider credentials. */
  listProviderCredentials: {
    method: 'GET'; path: '/api/v1/byok';
    params: undefined; query: {
      readonly offset?: number;
      readonly limit?: number;
      readonly workspace_id?: string;
      readonly provider?: string;
    };
    body: undefined; answer: ProviderCredentialList;
  };
  /** Create a provider credential. */
  createProviderCredential: {
    method: 'POST'; path: '/api/v1/byok';
    params: undefined; query: undefined;
    body: CreateProviderCredential; answer: ProviderCredentialAnswer;
  };
  /** What the account pays for calls that own credentials serve. */
  getProviderCredentialTerms: {
    method: 'GET'; path: '/api/v1/byok/terms';
    params: undefined; query: undefined;
    body: undefined; answer: ProviderCredentialTerms;
  };
  /** One provider credential. */
  getProviderCredential: {
    method: 'GET'; path: '/api/v1/byok/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: ProviderCredentialAnswer;
  };
  /** Change a provider credential. */
  updateProviderCredential: {
    method: 'PATCH'; path: '/api/v1/byok/{id}';
    params: { id: string }; query: undefined;
    body: UpdateProviderCredential; answer: ProviderCredentialAnswer;
  };
  /** Delete a provider credential. */
  deleteProviderCredential: {
    method: 'DELETE'; path: '/api/v1/byok/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: Deleted;
  };
  /** Make one short call with a credential and no other; it is charged like any call. */
  testProviderCredential: {
    method: 'POST'; path: '/api/v1/byok/{id}/test';
    params: { id: string }; query: undefined;
    body: TestProviderCredential; answer: ProviderCredentialVerdict;
  };
  /** The types of destinations, with the members of their config. */
  listDestinationTypes: {
    method: 'GET'; path: '/api/v1/observability/destination-types';
    params: undefined; query: undefined;
    body: undefined; answer: { readonly data: readonly DestinationType[] };
  };
  /** The destinations of a workspace, or of all of the account. */
  listDestinations: {
    method: 'GET'; path: '/api/v1/observability/destinations';
    params: undefined; query: { readonly offset?: number; readonly limit?: number; readonly workspace_id?: string };
    body: undefined; answer: DestinationList;
  };
  /** Create a destination; an empty export is sent to it first, and nothing is stored unless it is taken. */
  createDestination: {
    method: 'POST'; path: '/api/v1/observability/destinations';
    params: undefined; query: undefined;
    body: CreateDestination; answer: DestinationAnswer;
  };
  /** One destination. */
  getDestination: {
    method: 'GET'; path: '/api/v1/observability/destinations/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: DestinationAnswer;
  };
  /** Change a destination; secrets that are sent back masked stay. */
  updateDestination: {
    method: 'PATCH'; path: '/api/v1/observability/destinations/{id}';
    params: { id: string }; query: undefined;
    body: UpdateDestination; answer: DestinationAnswer;
  };
  /** Delete a destination; what waits for it is dropped. */
  deleteDestination: {
    method: 'DELETE'; path: '/api/v1/observability/destinations/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: Deleted;
  };
  /** What was said in a call, where it was kept; each reading is in the audit log. */
  listGenerationContent: {
    method: 'GET'; path: '/api/v1/generation/content';
    params: undefined; query: { readonly id: string };
    body: undefined; answer: GenerationContent;
  };
  /** Delete what was said in a call at once; its record stays. */
  deleteGenerationContent: {
    method: 'DELETE'; path: '/api/v1/generation/content';
    params: undefined; query: { readonly id: string };
    body: undefined; answer: Deleted;
  };
  /** Sessions of a range, the latest first; a key of inference sees its own calls of them. */
  listSessions: {
    method: 'GET'; path: '/api/v1/sessions';
    params: undefined; query: {
      readonly from?: string;
      readonly to?: string;
      /** The hash of a key */
      readonly key?: string;
      readonly workspace?: string;
      readonly limit?: number;
    };
    body: undefined; answer: SessionList;
  };
  /** The requests of a session in a range, of 30 days by default: the latest 200 calls of it, in their order. */
  getSession: {
    method: 'GET'; path: '/api/v1/sessions/{id}';
    params: { id: string }; query: { readonly from?: string; readonly to?: string; readonly cursor?: string };
    body: undefined; answer: SessionAnswer;
  };
  /** Say what you think of a call; what the key said of it before is replaced. */
  submitGenerationFeedback: {
    method: 'POST'; path: '/api/v1/generation/feedback';
    params: undefined; query: undefined;
    body: GiveFeedback; answer: FeedbackTaken;
  };
  /** What was said of a call, the latest first; a key of inference sees what itself said. */
  listGenerationFeedback: {
    method: 'GET'; path: '/api/v1/generation/feedback';
    params: undefined; query: { readonly id: string };
    body: undefined; answer: FeedbackList;
  };
  /** How often calls were said to be good or bad, by model, preset or category. */
  getFeedbackSums: {
    method: 'GET'; path: '/api/v1/feedback';
    params: undefined; query: { readonly from?: string; readonly to?: string; readonly by?: "model" | "preset" | "category" };
    body: undefined; answer: FeedbackSums;
  };
  /** The workspaces of the account. */
  listWorkspaces: {
    method: 'GET'; path: '/api/v1/workspaces';
    params: undefined; query: { readonly offset?: number; readonly limit?: number };
    body: undefined; answer: WorkspaceList;
  };
  /** Create a workspace. */
  createWorkspace: {
    method: 'POST'; path: '/api/v1/workspaces';
    params: undefined; query: undefined;
    body: CreateWorkspace; answer: WorkspaceAnswer;
  };
  /** One workspace. */
  getWorkspace: {
    method: 'GET'; path: '/api/v1/workspaces/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: WorkspaceAnswer;
  };
  /** Change a workspace. */
  updateWorkspace: {
    method: 'PATCH'; path: '/api/v1/workspaces/{id}';
    params: { id: string }; query: undefined;
    body: UpdateWorkspace; answer: WorkspaceAnswer;
  };
  /** Delete a workspace. */
  deleteWorkspace: {
    method: 'DELETE'; path: '/api/v1/workspaces/{id}';
    params: { id: string }; query: {
      /** Needed for the default workspace */
      readonly confirm_default_workspace_deletion?: "true" | "false";
    };
    body: undefined; answer: Deleted;
  };
  /** Limits of keys, workspaces and guardrails with what is used of them, the worst first. */
  listLimits: {
    method: 'GET'; path: '/api/v1/budgets';
    params: undefined; query: undefined;
    body: undefined; answer: LimitList;
  };
  /** The budgets of a workspace. */
  listBudgets: {
    method: 'GET'; path: '/api/v1/workspaces/{id}/budgets';
    params: { id: string }; query: undefined;
    body: undefined; answer: WorkspaceBudgetList;
  };
  /** One budget of a workspace. */
  getBudget: {
    method: 'GET'; path: '/api/v1/workspaces/{id}/budgets/{interval}';
    params: { id: string; interval: string }; query: undefined;
    body: undefined; answer: WorkspaceBudgetAnswer;
  };
  /** Set one budget of a workspace. */
  putBudget: {
    method: 'PUT'; path: '/api/v1/workspaces/{id}/budgets/{interval}';
    params: { id: string; interval: string }; query: undefined;
    body: PutWorkspaceBudget; answer: WorkspaceBudgetAnswer;
  };
  /** Delete one budget of a workspace, if there is one. */
  deleteBudget: {
    method: 'DELETE'; path: '/api/v1/workspaces/{id}/budgets/{interval}';
    params: { id: string; interval: string }; query: undefined;
    body: undefined; answer: Deleted;
  };
  /** The members of the organization. */
  listMembers: {
    method: 'GET'; path: '/api/v1/organization/members';
    params: undefined; query: { readonly offset?: number; readonly limit?: number };
    body: undefined; answer: MemberList;
  };
  /** The members of a workspace; of the default one all members of the organization. */
  listWorkspaceMembers: {
    method: 'GET'; path: '/api/v1/workspaces/{id}/members';
    params: { id: string }; query: { readonly offset?: number; readonly limit?: number };
    body: undefined; answer: WorkspaceMemberList;
  };
  /** Add members of the organization to a workspace. */
  addWorkspaceMembers: {
    method: 'POST'; path: '/api/v1/workspaces/{id}/members/add';
    params: { id: string }; query: undefined;
    body: MemberIds; answer: AddedMembers;
  };
  /** Take members out of a workspace. */
  removeWorkspaceMembers: {
    method: 'POST'; path: '/api/v1/workspaces/{id}/members/remove';
    params: { id: string }; query: undefined;
    body: MemberIds; answer: RemovedMembers;
  };
  /** The guardrails of a workspace, then those of the configuration file. */
  listGuardrails: {
    method: 'GET'; path: '/api/v1/guardrails';
    params: undefined; query: { readonly offset?: number; readonly limit?: number; readonly workspace_id?: string };
    body: undefined; answer: GuardrailList;
  };
  /** Create a guardrail, which applies to nothing before it is assigned. */
  createGuardrail: {
    method: 'POST'; path: '/api/v1/guardrails';
    params: undefined; query: undefined;
    body: CreateGuardrail; answer: GuardrailAnswer;
  };
  /** One guardrail. */
  getGuardrail: {
    method: 'GET'; path: '/api/v1/guardrails/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: GuardrailAnswer;
  };
  /** Change a guardrail; the first change of a workspace's default guardrail creates it. */
  updateGuardrail: {
    method: 'PATCH'; path: '/api/v1/guardrails/{id}';
    params: { id: string }; query: undefined;
    body: UpdateGuardrail; answer: GuardrailAnswer;
  };
  /** Delete a guardrail and its assignments. */
  deleteGuardrail: {
    method: 'DELETE'; path: '/api/v1/guardrails/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: Deleted;
  };
  /** Report that a filter found what is none; it is counted and unblocks nothing. */
  reportFalsePositive: {
    method: 'POST'; path: '/api/v1/guardrails/false-positives';
    params: undefined; query: undefined;
    body: ReportFalsePositive; answer: FalsePositiveReport;
  };
  /** How often each filter was reported, most reports first. */
  listFalsePositives: {
    method: 'GET'; path: '/api/v1/guardrails/false-positives';
    params: undefined; query: { readonly days?: number };
    body: undefined; answer: FalsePositiveList;
  };
  /** All keys that have a guardrail. */
  listKeyAssignments: {
    method: 'GET'; path: '/api/v1/guardrails/assignments/keys';
    params: undefined; query: { readonly offset?: number; readonly limit?: number };
    body: undefined; answer: KeyAssignmentList;
  };
  /** The keys that have a guardrail. */
  listKeysOfGuardrail: {
    method: 'GET'; path: '/api/v1/guardrails/{id}/assignments/keys';
    params: { id: string }; query: { readonly offset?: number; readonly limit?: number };
    body: undefined; answer: KeyAssignmentList;
  };
  /** Give a guardrail to keys, in place of the ones they had. */
  assignKeys: {
    method: 'POST'; path: '/api/v1/guardrails/{id}/assignments/keys';
    params: { id: string }; query: undefined;
    body: KeysOfGuardrail; answer: AssignedCount;
  };
  /** Take a guardrail from keys. */
  unassignKeys: {
    method: 'POST'; path: '/api/v1/guardrails/{id}/assignments/keys/remove';
    params: { id: string }; query: undefined;
    body: KeysOfGuardrail; answer: UnassignedCount;
  };
  /** All members that have a guardrail. */
  listMemberAssignments: {
    method: 'GET'; path: '/api/v1/guardrails/assignments/members';
    params: undefined; query: { readonly offset?: number; readonly limit?: number };
    body: undefined; answer: MemberAssignmentList;
  };
  /** The members that have a guardrail. */
  listMembersOfGuardrail: {
    method: 'GET'; path: '/api/v1/guardrails/{id}/assignments/members';
    params: { id: string }; query: { readonly offset?: number; readonly limit?: number };
    body: undefined; answer: MemberAssignmentList;
  };
  /** Give a guardrail to members, in place of the ones they had. */
  assignMembers: {
    method: 'POST'; path: '/api/v1/guardrails/{id}/assignments/members';
    params: { id: string }; query: undefined;
    body: MembersOfGuardrail; answer: AssignedCount;
  };
  /** Take a guardrail from members. */
  unassignMembers: {
    method: 'POST'; path: '/api/v1/guardrails/{id}/assignments/members/remove';
    params: { id: string }; query: undefined;
    body: MembersOfGuardrail; answer: UnassignedCount;
  };
  /** The phrases of the account that are no prompt injection. */
  listAllowedPhrases: {
    method: 'GET'; path: '/api/v1/guardrails/allowlist';
    params: undefined; query: undefined;
    body: undefined; answer: AllowedPhraseList;
  };
  /** Add a phrase that is no prompt injection. */
  allowPhrase: {
    method: 'POST'; path: '/api/v1/guardrails/allowlist';
    params: undefined; query: undefined;
    body: AllowPhrase; answer: AllowedPhraseAnswer;
  };
  /** Remove a phrase. */
  disallowPhrase: {
    method: 'DELETE'; path: '/api/v1/guardrails/allowlist';
    params: undefined; query: { readonly id: string };
    body: undefined; answer: Deleted;
  };
  /** What a guardrail, a draft of one, or all that apply to a key would make of a text; nothing is called or charged. */
  testGuardrail: {
    method: 'POST'; path: '/api/v1/guardrails/test';
    params: undefined; query: undefined;
    body: TestGuardrail; answer: GuardrailVerdict;
  };
  /** The plugins that are on by default for an account. */
  getPluginDefaults: {
    method: 'GET'; path: '/api/v1/plugins/defaults';
    params: undefined; query: {
      /** Another account; only for operators */
      readonly account_id?: string;
    };
    body: undefined; answer: AccountPluginDefaults;
  };
  /** Replace the plugins that are on by default for an account. */
  setPluginDefaults: {
    method: 'PUT'; path: '/api/v1/plugins/defaults';
    params: undefined; query: undefined;
    body: SetPluginDefaults; answer: AccountPluginDefaults;
  };
  /** The presets of the workspace. */
  listPresets: {
    method: 'GET'; path: '/api/v1/presets';
    params: undefined; query: {
      readonly offset?: number;
      readonly limit?: number;
      /** For management keys: the workspace; its default is that of the account */
      readonly workspace_id?: string;
    };
    body: undefined; answer: PresetList;
  };
  /** One preset with the version that requests get. */
  getPreset: {
    method: 'GET'; path: '/api/v1/presets/{slug}';
    params: { slug: string }; query: {
      /** For management keys: the workspace; its default is that of the account */
      readonly workspace_id?: string;
    };
    body: undefined; answer: PresetAnswer;
  };
  /** The versions of a preset, newest first. */
  listPresetVersions: {
    method: 'GET'; path: '/api/v1/presets/{slug}/versions';
    params: { slug: string }; query: {
      readonly offset?: number;
      readonly limit?: number;
      /** For management keys: the workspace; its default is that of the account */
      readonly workspace_id?: string;
    };
    body: undefined; answer: PresetVersionList;
  };
  /** One version of a preset. */
  getPresetVersion: {
    method: 'GET'; path: '/api/v1/presets/{slug}/versions/{version}';
    params: { slug: string; version: string }; query: {
      /** For management keys: the workspace; its default is that of the account */
      readonly workspace_id?: string;
    };
    body: undefined; answer: PresetVersionAnswer;
  };
  /** Change the name, description or status of a preset, or which version requests get. */
  updatePreset: {
    method: 'PATCH'; path: '/api/v1/presets/{slug}';
    params: { slug: string }; query: {
      /** For management keys: the workspace; its default is that of the account */
      readonly workspace_id?: string;
    };
    body: UpdatePreset; answer: PresetAnswer;
  };
  /** Store the settings of a request as the newest version of a preset; nothing is run. */
  savePresetFromResponses: {
    method: 'POST'; path: '/api/v1/presets/{slug}/responses';
    params: { slug: string }; query: {
      /** For management keys: the workspace; its default is that of the account */
      readonly workspace_id?: string;
    };
    body: ResponsesRequest; answer: PresetAnswer;
  };
  /** Store the settings of a request as the newest version of a preset; nothing is run. */
  savePresetFromChatCompletions: {
    method: 'POST'; path: '/api/v1/presets/{slug}/chat/completions';
    params: { slug: string }; query: {
      /** For management keys: the workspace; its default is that of the account */
      readonly workspace_id?: string;
    };
    body: ChatRequest; answer: PresetAnswer;
  };
  /** Store the settings of a request as the newest version of a preset; nothing is run. */
  savePresetFromMessages: {
    method: 'POST'; path: '/api/v1/presets/{slug}/messages';
    params: { slug: string }; query: {
      /** For management keys: the workspace; its default is that of the account */
      readonly workspace_id?: string;
    };
    body: MessagesRequest; answer: PresetAnswer;
  };
  /** Store a file that requests can name. */
  uploadFile: {
    method: 'POST'; path: '/api/v1/files';
    params: undefined; query: {
      /** The workspace of the key; another one is refused */
      readonly workspace_id?: string | null;
      /** Files at providers are not managed here: leave it out */
      readonly provider?: string | null;
    };
    body: FileForm; answer: File;
  };
  /** The files of the workspace, the newest first. */
  listFiles: {
    method: 'GET'; path: '/api/v1/files';
    params: undefined; query: {
      readonly limit?: number;
      readonly cursor?: string | null;
      /** The page begins behind this file */
      readonly after?: string | null;
      /** The same */
      readonly after_id?: string | null;
      /** The page ends before this file */
      readonly before_id?: string | null;
      /** By time */
      readonly order?: "asc" | "desc";
      /** The workspace of the key; another one is refused */
      readonly workspace_id?: string | null;
      /** Files at providers are not managed here: leave it out */
      readonly provider?: string | null;
    };
    body: undefined; answer: FileList;
  };
  /** One file, without its contents. */
  getFile: {
    method: 'GET'; path: '/api/v1/files/{file_id}';
    params: { file_id: string }; query: {
      /** The workspace of the key; another one is refused */
      readonly workspace_id?: string | null;
      /** Files at providers are not managed here: leave it out */
      readonly provider?: string | null;
    };
    body: undefined; answer: File;
  };
  /** The contents of a file. */
  downloadFile: {
    method: 'GET'; path: '/api/v1/files/{file_id}/content';
    params: { file_id: string }; query: {
      /** The workspace of the key; another one is refused */
      readonly workspace_id?: string | null;
      /** Files at providers are not managed here: leave it out */
      readonly provider?: string | null;
    };
    body: undefined; answer: string;
  };
  /** Delete a file. */
  deleteFile: {
    method: 'DELETE'; path: '/api/v1/files/{file_id}';
    params: { file_id: string }; query: {
      /** The workspace of the key; another one is refused */
      readonly workspace_id?: string | null;
      /** Files at providers are not managed here: leave it out */
      readonly provider?: string | null;
    };
    body: undefined; answer: DeletedFile;
  };
  /** What was ever booked to the account, and charged to it. */
  getCredits: {
    method: 'GET'; path: '/api/v1/credits';
    params: undefined; query: undefined;
    body: undefined; answer: Credits;
  };
  /** Use of the last 30 whole UTC days by day, model and endpoint. */
  getActivity: {
    method: 'GET'; path: '/api/v1/activity';
    params: undefined; query: {
      readonly date?: string;
      readonly api_key_hash?: string;
      readonly user_id?: string;
      readonly group_by?: "workspace";
      readonly workspace_id?: string;
    };
    body: undefined; answer: Activity;
  };
  /** The record of one call; never what was said. */
  getGeneration: {
    method: 'GET'; path: '/api/v1/generation';
    params: undefined; query: {
      /** As X-Generation-Id told it */
      readonly id: string;
    };
    body: undefined; answer: Generation;
  };
  /** Usage over time, by group; a key of inference sees its own. */
  getUsageSeries: {
    method: 'GET'; path: '/api/v1/usage/series';
    params: undefined; query: {
      readonly from?: string;
      readonly to?: string;
      readonly bucket?: "auto" | "15m" | "1h" | "1d" | "all";
      /** A zone such as Europe/Berlin */
      readonly tz?: string;
      readonly group?: "key" | "workspace" | "model" | "provider" | "endpoint" | "error";
      readonly top?: number;
      readonly compare?: "previous" | "week";
      /** Whether percentiles of times are wanted, or also how many lie in which class */
      readonly times?: "true" | "false" | "classes";
      /** Of all accounts together, without keys, workspaces and times; only for operators */
      readonly all_accounts?: "true" | "false";
      /** The hash of a key */
      readonly key?: string;
      readonly workspace?: string;
      /** A model, or a beginning such as acme/* */
      readonly model?: string;
      readonly provider?: string;
      readonly endpoint?: string;
      /** A type of error */
      readonly error?: string;
      readonly outcome?: "ok" | "failed" | "cancelled";
    };
    body: undefined; answer: UsageSeries;
  };
  /** What a filter can be set to, by how much it was used. */
  listUsageValues: {
    method: 'GET'; path: '/api/v1/usage/values';
    params: undefined; query: {
      readonly from?: string;
      readonly to?: string;
      readonly dimension: "key" | "workspace" | "model" | "provider" | "endpoint" | "error";
      readonly prefix?: string;
    };
    body: undefined; answer: UsageValues;
  };
  /** When the keys of the account were last used, within 90 days. */
  listLastUses: {
    method: 'GET'; path: '/api/v1/usage/last';
    params: undefined; query: undefined;
    body: undefined; answer: LastUses;
  };
  /** Calls that ended and requests that were turned away in a range, newest first; a key of inference sees its own. */
  listGenerations: {
    method: 'GET'; path: '/api/v1/generations';
    params: undefined; query: {
      readonly from?: string;
      readonly to?: string;
      /** The hash of a key */
      readonly key?: string;
      readonly workspace?: string;
      /** A model, or a beginning such as acme/* */
      readonly model?: string;
      readonly provider?: string;
      readonly endpoint?: string;
      /** A type of error */
      readonly error?: string;
      readonly outcome?: "ok" | "failed" | "cancelled" | "refused";
      readonly streamed?: "true" | "false";
      readonly own_credential?: "true" | "false";
      /** More than one endpoint was asked */
      readonly fallback?: "true" | "false";
      readonly unpriced?: "true" | "false";
      readonly estimated?: "true" | "false";
      readonly min_cost_nano?: number;
      readonly min_total_ms?: number;
      readonly min_first_token_ms?: number;
      readonly min_tokens?: number;
      readonly session?: string;
      readonly request?: string;
      readonly user?: string;
      readonly app?: string;
      /** The HTTP status of the last attempt */
      readonly status?: number;
      /** As requests named it, or a beginning such as acme/* */
      readonly requested_model?: string;
      /** The router that chose the model */
      readonly router?: string;
      /** The slug of a preset */
      readonly preset?: string;
      /** What was said of them: see POST /generation/feedback */
      readonly rating?: "bad" | "neither" | "good";
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined; answer: CallList;
  };
  /** All that is known of one call; never what was said. */
  getGenerationDetail: {
    method: 'GET'; path: '/api/v1/generations/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: CallDetail;
  };
  /** All calls of a list as one file: CSV, or a line of JSON each; a key of inference gets its own. */
  exportGenerations: {
    method: 'GET'; path: '/api/v1/generations/export';
    params: undefined; query: {
      readonly from?: string;
      readonly to?: string;
      /** The hash of a key */
      readonly key?: string;
      readonly workspace?: string;
      /** A model, or a beginning such as acme/* */
      readonly model?: string;
      readonly provider?: string;
      readonly endpoint?: string;
      /** A type of error */
      readonly error?: string;
      readonly outcome?: "ok" | "failed" | "cancelled" | "refused";
      readonly streamed?: "true" | "false";
      readonly own_credential?: "true" | "false";
      /** More than one endpoint was asked */
      readonly fallback?: "true" | "false";
      readonly unpriced?: "true" | "false";
      readonly estimated?: "true" | "false";
      readonly min_cost_nano?: number;
      readonly min_total_ms?: number;
      readonly min_first_token_ms?: number;
      readonly min_tokens?: number;
      readonly session?: string;
      readonly request?: string;
      readonly user?: string;
      readonly app?: string;
      /** The HTTP status of the last attempt */
      readonly status?: number;
      /** As requests named it, or a beginning such as acme/* */
      readonly requested_model?: string;
      /** The router that chose the model */
      readonly router?: string;
      /** The slug of a preset */
      readonly preset?: string;
      /** What was said of them: see POST /generation/feedback */
      readonly rating?: "bad" | "neither" | "good";
      readonly format?: "csv" | "jsonl";
    };
    body: undefined; answer: string;
  };
  /** Who changed what, and what was refused, newest first. */
  listAudit: {
    method: 'GET'; path: '/api/v1/audit';
    params: undefined; query: {
      readonly cursor?: string;
      readonly limit?: number;
      readonly from?: string;
      readonly to?: string;
      readonly action?: string;
      readonly object_type?: string;
      readonly object_id?: string;
      /** The hash of a key, or a type of actor without key */
      readonly actor?: string;
      readonly outcome?: "ok" | "refused";
    };
    body: undefined; answer: AuditList;
  };
  /** All entries of the audit log that the filters leave, as one file: CSV, or a line of JSON each. */
  exportAudit: {
    method: 'GET'; path: '/api/v1/audit/export';
    params: undefined; query: {
      readonly from?: string;
      readonly to?: string;
      readonly action?: string;
      readonly object_type?: string;
      readonly object_id?: string;
      /** The hash of a key, or a type of actor without key */
      readonly actor?: string;
      readonly outcome?: "ok" | "refused";
      readonly format?: "csv" | "jsonl";
    };
    body: undefined; answer: string;
  };
  /** Movements of credits besides charges, newest first, and the balance. */
  listLedger: {
    method: 'GET'; path: '/api/v1/ledger';
    params: undefined; query: {
      readonly cursor?: string;
      readonly limit?: number;
      readonly type?: "purchase" | "grant" | "refund" | "expiry" | "transfer" | "adjustment";
      /** Another account; only for operators */
      readonly account_id?: string;
    };
    body: undefined; answer: LedgerPage;
  };
  /** Grant, sell or take back credits; only for operators. */
  bookCredits: {
    method: 'POST'; path: '/api/v1/ledger';
    params: undefined; query: undefined;
    body: BookCredits; answer: BookedCredits;
  };
  /** Begin to recompute every total, or find the check that runs; only for operators. */
  verifyLedger: {
    method: 'POST'; path: '/api/v1/ledger/verify';
    params: undefined; query: undefined;
    body: undefined; answer: JobAnswer;
  };
  /** The check of the ledger that began last; only for operators. */
  getLastVerification: {
    method: 'GET'; path: '/api/v1/ledger/verify';
    params: undefined; query: undefined;
    body: undefined; answer: LatestJob;
  };
  /** How a job stands; only for operators. */
  getJob: {
    method: 'GET'; path: '/api/v1/jobs/{id}';
    params: { id: string }; query: undefined;
    body: undefined; answer: JobAnswer;
  };
  /** What an account has in flight: running requests near the end of its credits, and recent charges. */
  listHolds: {
    method: 'GET'; path: '/api/v1/holds';
    params: undefined; query: {
      /** Another account; only for operators */
      readonly account_id?: string;
    };
    body: undefined; answer: Holds;
  };
  /** All movements of credits besides charges as one file: CSV, or a line of JSON each. */
  exportLedger: {
    method: 'GET'; path: '/api/v1/ledger/export';
    params: undefined; query: {
      readonly type?: "purchase" | "grant" | "refund" | "expiry" | "transfer" | "adjustment";
      /** Another account; only for operators */
      readonly account_id?: string;
      readonly format?: "csv" | "jsonl";
    };
    body: undefined; answer: string;
  };
  /** All accounts with their balances, oldest first; only for operators. */
  listAccounts: {
    method: 'GET'; path: '/api/v1/accounts';
    params: undefined; query: { readonly cursor?: string; readonly limit?: number };
    body: undefined; answer: AccountList;
  };
  /** The routers, the models they choose among, and what they chose for the account in seven days. */
  listRouters: {
    method: 'GET'; path: '/api/v1/routers';
    params: undefined; query: undefined;
    body: undefined; answer: RouterList;
  };
  /** Running requests as server-sent events, also of other processes that share Redis; a key of inference sees its own. */
  watchRequests: {
    method: 'GET'; path: '/api/v1/live';
    params: undefined; query: {
      /** The hash of a key */
      readonly key?: string;
      readonly workspace?: string;
      readonly model?: string;
      readonly provider?: string;
      /** Of every account; only for operators */
      readonly all_accounts?: "true" | "false";
    };
    body: undefined; answer: string;
    events: LiveSnapshot | LiveRequest | { readonly count: number } | { readonly reason: string };
  };
  /** End a running request as if its client had left; it is charged so. */
  cancelRequest: {
    method: 'POST'; path: '/api/v1/live/{id}/cancel';
    params: { id: string }; query: undefined;
    body: undefined; answer: CancelledRequest;
  };
  /** Every process of the installation, and how each is; only for operators. */
  listProcesses: {
    method: 'GET'; path: '/api/v1/processes';
    params: undefined; query: undefined;
    body: undefined; answer: ProcessList;
  };
  /** What does not work, may soon not, or is worth knowing, the worst first; only for operators. */
  listRisks: {
    method: 'GET'; path: '/api/v1/risks';
    params: undefined; query: undefined;
    body: undefined; answer: RiskList;
  };
  /** The alerts of the last seven days, newest first, at most 200; only for operators. */
  listAlerts: {
    method: 'GET'; path: '/api/v1/alerts';
    params: undefined; query: undefined;
    body: undefined; answer: AlertList;
  };
  /** The configuration in use and where its values come from, secrets masked; only for operators. */
  getConfiguration: {
    method: 'GET'; path: '/api/v1/config';
    params: undefined; query: undefined;
    body: undefined; answer: Configuration;
  };
  /** Calls and sessions by their ids, models, and what a management key has by name; at most 20. */
  search: {
    method: 'GET'; path: '/api/v1/search';
    params: undefined; query: { readonly q: string };
    body: undefined; answer: SearchResults;
  };
  /** Whether the process answers. */
  getLiveness: {
    method: 'GET'; path: '/health/live';
    params: undefined; query: undefined;
    body: undefined; answer: Liveness;
  };
  /** Whether requests are welcome, and how each dependency is. */
  getReadiness: {
    method: 'GET'; path: '/health/ready';
    params: undefined; query: undefined;
    body: undefined; answer: Readiness;
  };
  /** Metrics for Prometheus. */
  getMetrics: {
    method: 'GET'; path: '/metrics';
    params: undefined; query: undefined;
    body: undefined; answer: string;
  };
  /** This document. */
  getInterface: {
    method: 'GET'; path: '/openapi.json';
    params: undefined; query: undefined;
    body: undefined; answer: { readonly [name: string]: unknown };
  };
  /** The interface for reading. */
  getReference: {
    method: 'GET'; path: '/docs';
    params: undefined; query: undefined;
    body: undefined; answer: string;
  };
  /** Where to begin. */
  getLandingPage: {
    method: 'GET'; path: '/api';
    params: undefined; query: undefined;
    body: undefined; answer: string;
  };
}

export type Error = {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly metadata: {
      readonly error_type: "invalid_request" | "invalid_image" | "unsupported_image_format" | "context_length_exceeded" | "authentication" | "payment_required" | "permission_denied" | "content_policy_violation" | "not_found" | "timeout" | "payload_too_large" | "unprocessable" | "rate_limit_exceeded" | "server" | "provider_unavailable" | "provider_overloaded" | "max_tokens_exceeded";
      readonly provider_code?: string;
      readonly provider_name?: string;
      readonly credential_label?: string;
      readonly previous_errors?: readonly ({ readonly provider: string; readonly code: string; readonly status: number })[];
      readonly permission?: string;
      readonly roles?: readonly string[];
      readonly limit_source?: string;
      readonly scope?: string;
      readonly limit_usd?: number;
      readonly spend_usd?: number;
      readonly resets_at?: string | null;
      readonly reason?: string;
      readonly rate?: {
        readonly metric: "requests" | "tokens" | "parallel";
        readonly limit: number;
        readonly used: number;
        readonly window_seconds?: number;
      };
      readonly remedy_hint?: string;
      readonly patterns?: readonly string[];
      readonly file_annotations?: readonly ({ readonly [name: string]: unknown })[];
      readonly reasons?: readonly string[];
      readonly flagged_input?: string;
      readonly model_slug?: string;
      readonly availability?: {
        readonly code: string;
        readonly retryable: boolean;
        readonly requested_models: readonly string[];
        readonly docs_url: string;
        readonly retry_after?: number;
        readonly affected_providers?: readonly string[];
        readonly excluded_by?: readonly string[];
        readonly fallback_models?: readonly string[];
        readonly constraint?: { readonly field: string; readonly detail: string };
        readonly tokens?: { readonly input: number; readonly output: number; readonly available: number };
      };
      readonly unsupported?: readonly string[];
    };
  };
  readonly service_metadata?: ServiceMetadata;
  readonly user_id: string | null;
};

export type ServiceMetadata = {
  readonly requested: string;
  readonly strategy: "direct" | "alias" | "latest" | "fallback" | "auto" | "free" | "pareto" | "bodybuilder" | "fusion";
  readonly region: string | null;
  readonly summary: string;
  readonly attempt: number;
  readonly is_byok: boolean;
  readonly endpoints: {
    readonly total: number;
    readonly available: readonly ({ readonly provider: string; readonly model: string; readonly selected: boolean })[];
  };
  readonly params?: { readonly version_group?: string; readonly throughput_floor?: number };
  readonly attempts?: readonly ({ readonly provider: string; readonly model: string; readonly status: number })[];
  readonly pipeline?: readonly ({
    readonly type: string;
    readonly name: string;
    readonly summary?: string;
    readonly data?: { readonly [name: string]: unknown };
    readonly cost_usd?: number | null;
    readonly guardrail_id?: string;
    readonly guardrail_scope?: string;
  })[];
  readonly generation_time?: number;
};

export type ResponsesRequest = {
  readonly model?: string | null;
  readonly models?: readonly string[] | null;
  readonly stream?: boolean | null;
  readonly store?: boolean | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly top_k?: number | null;
  readonly min_p?: number | null;
  readonly top_a?: number | null;
  readonly frequency_penalty?: number | null;
  readonly presence_penalty?: number | null;
  readonly repetition_penalty?: number | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly logit_bias?: { readonly [name: string]: number } | null;
  readonly top_logprobs?: number | null;
  readonly max_tool_calls?: number | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly metadata?: { readonly [name: string]: string } | null;
  readonly service_tier?: "auto" | "default" | "fast" | "flex" | "priority" | "scale" | null;
  readonly session_id?: string | null;
  readonly user?: string | null;
  readonly safety_identifier?: string | null;
  readonly prompt_cache_key?: string | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_options?: { readonly mode: "explicit"; readonly ttl?: string | null } | null;
  readonly debug?: { readonly echo_upstream_body?: boolean | null } | null;
  readonly image_config?: { readonly [name: string]: string | number | readonly unknown[] } | null;
  readonly reasoning?: Reasoning | null;
  readonly stop_server_tools_when?: StopConditions | null;
  readonly trace?: {
    readonly trace_id?: string | null;
    readonly trace_name?: string | null;
    readonly span_name?: string | null;
    readonly generation_name?: string | null;
    readonly parent_span_id?: string | null;
  } | null;
  readonly plugins?: Plugins | null;
  readonly provider?: ProviderPreferences | null;
  readonly route?: unknown;
  readonly input?: Input | null;
  readonly instructions?: string | null;
  readonly previous_response_id?: unknown;
  readonly conversation?: unknown;
  readonly background?: boolean | null;
  readonly max_output_tokens?: number | null;
  readonly modalities?: readonly ("text" | "image")[] | null;
  readonly include?: readonly ("file_search_call.results" | "message.input_image.image_url" | "computer_call_output.output.image_url" | "reasoning.encrypted_content" | "code_interpreter_call.outputs")[] | null;
  readonly text?: {
    readonly format?: { readonly type: "text" } | { readonly type: "json_object" } | {
      readonly type: "json_schema";
      readonly name?: string | null;
      readonly schema?: { readonly [name: string]: unknown } | null;
      readonly description?: string | null;
      readonly strict?: boolean | null;
    } | null;
    readonly verbosity?: "low" | "medium" | "high" | "xhigh" | "max" | null;
  } | null;
  readonly tools?: readonly (ToolFunction | ToolCustom | ToolNamespace | ToolWebSearch | ToolWebSearch20250826 | ToolWebSearchPreview | ToolWebSearchPreview20250311 | ToolFileSearch | ToolMcp | ToolComputerUsePreview | ToolCodeInterpreter | ToolImageGeneration | ToolLocalShell | ToolShell | ToolApplyPatch | ToolServiceWebSearch | ToolServiceWebFetch | ToolServiceExperimentalSearchModels | ToolServiceSearchModels | ToolServiceAdvisor | ToolServiceSubagent | ToolServiceFusion | ToolServiceApplyPatch | ToolServiceImageGeneration | ToolServiceToolSearch | ToolToolSearch | ToolServiceFiles | ToolServiceShell | ToolServiceBash | ToolServiceDatetime)[] | null;
  readonly tool_choice?: "auto" | "none" | "required" | { readonly type: "function"; readonly name: string; readonly namespace?: string | null } | { readonly type: "custom"; readonly name: string; readonly namespace?: string | null } | {
    readonly type: "allowed_tools";
    readonly mode: "auto" | "required";
    readonly tools: readonly ({ readonly [name: string]: unknown })[];
  } | {
    readonly type: "web_search_preview" | "web_search_preview_2025_03_11" | "apply_patch" | "shell" | "service:advisor" | "service:apply_patch" | "service:bash" | "service:datetime" | "service:experimental__search_models" | "service:files" | "service:fusion" | "service:image_generation" | "service:search_models" | "service:shell" | "service:subagent" | "service:tool_search" | "service:web_fetch" | "service:web_search" | "tool_search";
  } | null;
  readonly truncation?: "auto" | "disabled" | null;
  readonly prompt?: {
    readonly id: string;
    readonly variables?: { readonly [name: string]: string | ContentInputText | ContentInputImage | ContentInputFile } | null;
  } | null;
};

export type Reasoning = {
  readonly effort?: "max" | "xhigh" | "high" | "medium" | "low" | "minimal" | "none" | null;
  readonly max_tokens?: number | null;
  readonly enabled?: boolean | null;
  readonly summary?: "auto" | "concise" | "detailed" | null;
  readonly context?: "auto" | "all_turns" | "current_turn" | null;
  readonly mode?: "standard" | "pro" | null;
  readonly exclude?: boolean | null;
};
export type StopConditions = readonly ({ readonly type: "step_count_is"; readonly step_count: number } | { readonly type: "has_tool_call"; readonly tool_name: string } | { readonly type: "max_tokens_used"; readonly max_tokens: number } | { readonly type: "max_cost"; readonly max_cost_in_dollars: number } | { readonly type: "finish_reason_is"; readonly reason: string })[];

export type Plugins = readonly ({
  readonly id: "auto-router";
  readonly enabled?: boolean | null;
  readonly allowed_models?: readonly string[] | null;
  readonly excluded_models?: readonly string[] | null;
  readonly cost_tier?: "low" | "medium" | "high" | "xhigh" | "max" | null;
  readonly cost_quality_tradeoff?: number | null;
  readonly pin_model?: boolean | null;
} | {
  readonly id: "auto-beta-router";
  readonly enabled?: boolean | null;
  readonly allowed_models?: readonly string[] | null;
  readonly excluded_models?: readonly string[] | null;
  readonly cost_tier?: "low" | "medium" | "high" | "xhigh" | "max" | null;
  readonly cost_quality_tradeoff?: number | null;
} | { readonly id: "moderation" } | {
  readonly id: "context-compression";
  readonly enabled?: boolean | null;
  readonly engine?: "middle-out" | null;
} | {
  readonly id: "file-parser";
  readonly enabled?: boolean | null;
  readonly pdf?: { readonly engine?: "native" | "mistral-ocr" | "cloudflare-ai" | "pdf-text" | null } | null;
} | {
  readonly id: "fusion";
  readonly enabled?: boolean | null;
  readonly analysis_models?: readonly string[] | null;
  readonly model?: string | null;
  readonly max_tool_calls?: number | null;
  readonly preset?: "general-high" | "general-budget" | "general-fast" | null;
  readonly tools?: readonly ({ readonly type: string; readonly parameters?: { readonly [name: string]: unknown } | null })[] | null;
} | {
  readonly id: "pareto-router";
  readonly enabled?: boolean | null;
  readonly max_price?: number | null;
  readonly min_coding_score?: number | null;
  readonly price_source?: "prompt" | "weighted_avg" | null;
} | {
  readonly id: "web";
  readonly enabled?: boolean | null;
  readonly engine?: "native" | "exa" | "firecrawl" | "parallel" | "perplexity" | null;
  readonly mode?: "instant" | "fast" | "auto" | "deep-lite" | "deep" | "deep-reasoning" | "turbo" | "basic" | "advanced" | null;
  readonly max_results?: number | null;
  readonly max_uses?: number | null;
  readonly search_prompt?: string | null;
  readonly include_domains?: readonly string[] | null;
  readonly exclude_domains?: readonly string[] | null;
  readonly user_location?: {
    readonly type: "approximate";
    readonly city?: string | null;
    readonly country?: string | null;
    readonly region?: string | null;
    readonly timezone?: string | null;
  } | null;
} | {
  readonly id: "web-fetch";
  readonly max_uses?: number | null;
  readonly max_content_tokens?: number | null;
  readonly allowed_domains?: readonly string[] | null;
  readonly blocked_domains?: readonly string[] | null;
} | { readonly id: "response-healing"; readonly enabled?: boolean | null })[];

export type ProviderPreferences = {
  readonly order?: readonly string[] | null;
  readonly only?: readonly string[] | null;
  readonly ignore?: readonly string[] | null;
  readonly allow_fallbacks?: boolean | null;
  readonly require_parameters?: boolean | null;
  readonly data_collection?: "allow" | "deny" | null;
  readonly zdr?: boolean | null;
  readonly enforce_distillable_text?: boolean | null;
  readonly quantizations?: readonly ("int4" | "int8" | "fp4" | "mxfp4" | "nvfp4" | "fp6" | "fp8" | "mxfp8" | "fp16" | "bf16" | "fp32" | "unknown")[] | null;
  readonly sort?: "price" | "throughput" | "latency" | "exacto" | {
    readonly by?: "price" | "throughput" | "latency" | "exacto" | null;
    readonly partition?: "model" | "none" | null;
  } | null;
  readonly preferred_min_throughput?: number | {
    readonly p50?: number | null;
    readonly p75?: number | null;
    readonly p90?: number | null;
    readonly p99?: number | null;
  } | null;
  readonly preferred_max_latency?: number | {
    readonly p50?: number | null;
    readonly p75?: number | null;
    readonly p90?: number | null;
    readonly p99?: number | null;
  } | null;
  readonly max_price?: {
    /** a number or a decimal such as "0.25" */
    readonly prompt?: number | string | null;
    /** a number or a decimal such as "0.25" */
    readonly completion?: number | string | null;
    /** a number or a decimal such as "0.25" */
    readonly request?: number | string | null;
    /** a number or a decimal such as "0.25" */
    readonly image?: number | string | null;
    /** a number or a decimal such as "0.25" */
    readonly audio?: number | string | null;
  } | null;
};
export type Input = string | readonly (ItemMessage | ItemReasoning | ItemFunctionCall | ItemFunctionCallOutput | ItemCustomToolCall | ItemCustomToolCallOutput | ItemWebSearchCall | ItemFileSearchCall | ItemImageGenerationCall | ItemCodeInterpreterCall | ItemComputerCall | ItemComputerCallOutput | ItemLocalShellCall | ItemLocalShellCallOutput | ItemShellCall | ItemShellCallOutput | ItemApplyPatchCall | ItemApplyPatchCallOutput | ItemMcpListTools | ItemMcpApprovalRequest | ItemMcpApprovalResponse | ItemMcpCall | ItemCompaction | ItemContextCompaction | ItemItemReference | ItemAdditionalTools | ItemAgentMessage | ItemConfigurationUpdate | ItemServiceDatetime | ItemServiceWebSearch | ItemServiceWebFetch | ItemServiceImageGeneration | ItemServiceCodeInterpreter | ItemServiceFileSearch | ItemServiceToolSearch | ItemServiceBrowserUse | ItemServiceBash | ItemServiceShell | ItemServiceTextEditor | ItemServiceApplyPatch | ItemServiceMemory | ItemServiceMcp | ItemServiceExperimentalSearchModels | ItemServiceFiles | ItemServiceFusion | ItemServiceAdvisor | ItemServiceSubagent)[];

export type ItemMessage = {
  readonly type?: "message" | null;
  readonly role: "user" | "system" | "developer" | "assistant";
  readonly content?: string | readonly (ContentOutputText | ContentRefusal | ContentInputText | ContentInputImage | ContentInputFile | ContentInputAudio | ContentInputVideo)[] | null;
  readonly phase?: "commentary" | "final_answer" | null;
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ContentOutputText = {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations?: readonly (AnnotationUrlCitation | AnnotationFileCitation | { readonly type: "file_path"; readonly file_id: string; readonly index: number } | AnnotationFile)[] | null;
  readonly logprobs?: readonly ({
    readonly token: string;
    readonly logprob: number;
    readonly bytes?: readonly number[] | null;
    readonly top_logprobs?: readonly ({ readonly token: string; readonly logprob: number; readonly bytes?: readonly number[] | null })[] | null;
  })[] | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" } | null;
};

export type AnnotationUrlCitation = {
  readonly type: "url_citation";
  readonly url: string;
  readonly title: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly content?: string | null;
  readonly citation?: { readonly [name: string]: unknown } | null;
};

export type AnnotationFileCitation = {
  readonly type: "file_citation";
  readonly file_id: string;
  readonly filename: string;
  readonly index: number;
  readonly start_index?: number | null;
  readonly citation?: { readonly [name: string]: unknown } | null;
};

export type AnnotationFile = {
  readonly type: "file";
  readonly file: {
    /** 64 hexadecimal digits in small letters */
    readonly hash: string;
    readonly name?: string | null;
    readonly content: readonly ({ readonly type: "text"; readonly text: string } | { readonly type: "image_url"; readonly image_url: { readonly url: string } })[];
  };
};
export type ContentRefusal = { readonly type: "refusal"; readonly refusal: string };

export type ContentInputText = {
  readonly type: "input_text";
  readonly text: string;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" } | null;
};

export type ContentInputImage = {
  readonly type: "input_image";
  /** an http or https URL or a data URL */
  readonly image_url?: string | null;
  readonly file_id?: string | null;
  readonly detail?: "auto" | "high" | "low" | "original" | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" } | null;
};

export type ContentInputFile = {
  readonly type: "input_file";
  readonly file_data?: string | null;
  /** an http or https URL */
  readonly file_url?: string | null;
  readonly file_id?: string | null;
  readonly filename?: string | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" } | null;
};

export type ContentInputAudio = {
  readonly type: "input_audio";
  readonly input_audio: { readonly data: string; readonly format: "mp3" | "wav" };
};

export type ContentInputVideo = {
  readonly type: "input_video";
  /** an http or https URL or a data URL */
  readonly video_url: string;
  readonly processing?: "agentic" | "static" | null;
};

export type ItemReasoning = {
  readonly type: "reasoning";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly summary: readonly ({ readonly type: "summary_text"; readonly text: string })[] | null;
  readonly content?: readonly ({ readonly type: "reasoning_text"; readonly text: string })[] | null;
  readonly encrypted_content?: string | null;
  readonly signature?: string | null;
  readonly format?: "unknown" | "openai-responses-v1" | "azure-openai-responses-v1" | "bedrock-openai-responses-v1" | "bedrock-xai-responses-v1" | "xai-responses-v1" | "meta-responses-v1" | "anthropic-claude-v1" | "google-gemini-v1" | null;
};

export type ItemFunctionCall = {
  readonly type: "function_call";
  readonly id?: string | null;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string | null;
  readonly async?: boolean | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly arguments: string;
  readonly subagent_id?: string | null;
  readonly subagent_items?: readonly ({ readonly type: string })[] | null;
};

export type ItemFunctionCallOutput = {
  readonly type: "function_call_output";
  readonly id?: string | null;
  readonly call_id: string;
  readonly output: string | readonly (ContentInputText | ContentInputImage | ContentInputFile)[];
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ItemCustomToolCall = {
  readonly type: "custom_tool_call";
  readonly id?: string | null;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string | null;
  readonly async?: boolean | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly input: string;
};

export type ItemCustomToolCallOutput = {
  readonly type: "custom_tool_call_output";
  readonly id?: string | null;
  readonly call_id: string;
  readonly output: string | readonly (ContentInputText | ContentInputImage | ContentInputFile)[];
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ItemWebSearchCall = {
  readonly type: "web_search_call";
  readonly id?: string | null;
  readonly action?: {
    readonly type: "search";
    readonly query: string;
    readonly queries?: readonly string[] | null;
    readonly sources?: readonly ({ readonly type: "url"; readonly url: string })[] | null;
  } | { readonly type: "open_page"; readonly url?: string | null } | { readonly type: "find_in_page"; readonly pattern: string; readonly url: string } | null;
  readonly status?: "in_progress" | "searching" | "completed" | "failed" | null;
};

export type ItemFileSearchCall = {
  readonly type: "file_search_call";
  readonly id?: string | null;
  readonly queries: readonly string[];
  readonly results?: readonly ({ readonly [name: string]: unknown })[] | null;
  readonly status?: "in_progress" | "searching" | "completed" | "failed" | null;
};

export type ItemImageGenerationCall = {
  readonly type: "image_generation_call";
  readonly id?: string | null;
  readonly result?: string | null;
  readonly prompt?: string | null;
  readonly status?: "in_progress" | "generating" | "completed" | "failed" | null;
};

export type ItemCodeInterpreterCall = {
  readonly type: "code_interpreter_call";
  readonly id?: string | null;
  readonly code?: string | null;
  readonly container_id?: string | null;
  readonly outputs?: readonly ({ readonly type: "logs"; readonly logs: string } | { readonly type: "image"; readonly url: string } | {
    readonly type: "file";
    readonly id?: string | null;
    readonly filename?: string | null;
    readonly media_type?: string | null;
    readonly size_bytes?: number | null;
    readonly sha256?: string | null;
    readonly download_url?: string | null;
    readonly expires_at?: string | null;
    readonly status?: string | null;
    readonly error_code?: string | null;
  })[] | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | "interpreting" | "failed" | null;
};

export type ItemComputerCall = {
  readonly type: "computer_call";
  readonly id?: string | null;
  readonly call_id: string;
  readonly pending_safety_checks: readonly ({ readonly id: string; readonly code?: string | null; readonly message?: string | null })[];
  readonly action?: { readonly [name: string]: unknown } | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ItemComputerCallOutput = {
  readonly type: "computer_call_output";
  readonly id?: string | null;
  readonly call_id: string;
  readonly output: unknown;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ItemLocalShellCall = {
  readonly type: "local_shell_call";
  readonly id?: string | null;
  readonly call_id: string;
  readonly action: {
    readonly type: "exec";
    readonly command: readonly string[];
    readonly env: { readonly [name: string]: string };
    readonly timeout_ms?: number | null;
    readonly user?: string | null;
    readonly working_directory?: string | null;
  };
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ItemLocalShellCallOutput = {
  readonly type: "local_shell_call_output";
  readonly id?: string | null;
  readonly output: string;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ItemShellCall = {
  readonly type: "shell_call";
  readonly id?: string | null;
  readonly call_id: string;
  readonly action: {
    readonly commands: readonly string[];
    readonly timeout_ms?: number | null;
    readonly max_output_length?: number | null;
  };
  readonly arguments?: string | null;
  readonly environment?: unknown;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ItemShellCallOutput = {
  readonly type: "shell_call_output";
  readonly id?: string | null;
  readonly call_id: string;
  readonly output: readonly ({
    readonly stdout: string;
    readonly stderr: string;
    readonly outcome: { readonly type: "exit"; readonly exit_code: number } | { readonly type: "timeout" };
  })[];
  readonly max_output_length?: number | null;
  readonly container_id?: string | null;
  readonly files?: unknown;
  readonly error?: unknown;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
};

export type ItemApplyPatchCall = {
  readonly type: "apply_patch_call";
  readonly id?: string | null;
  readonly call_id: string;
  readonly operation: { readonly type: "create_file"; readonly path: string; readonly diff: string } | { readonly type: "update_file"; readonly path: string; readonly diff: string } | { readonly type: "delete_file"; readonly path: string };
  readonly status?: "in_progress" | "completed" | null;
};

export type ItemApplyPatchCallOutput = {
  readonly type: "apply_patch_call_output";
  readonly id?: string | null;
  readonly call_id: string;
  readonly output?: string | null;
  readonly status: "completed" | "failed";
};

export type ItemMcpListTools = {
  readonly type: "mcp_list_tools";
  readonly id?: string | null;
  readonly server_label: string;
  readonly tools: readonly ({
    readonly name: string;
    readonly input_schema: { readonly [name: string]: unknown };
    readonly description?: string | null;
    readonly annotations?: unknown;
  })[];
  readonly error?: string | { readonly [name: string]: unknown } | null;
};

export type ItemMcpApprovalRequest = {
  readonly type: "mcp_approval_request";
  readonly id: string;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
};

export type ItemMcpApprovalResponse = {
  readonly type: "mcp_approval_response";
  readonly id?: string | null;
  readonly approval_request_id: string;
  readonly approve: boolean;
  readonly reason?: string | null;
};

export type ItemMcpCall = {
  readonly type: "mcp_call";
  readonly id?: string | null;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly output?: string | null;
  readonly error?: string | { readonly [name: string]: unknown } | null;
  readonly approval_request_id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | "failed" | null;
};
export type ItemCompaction = { readonly type: "compaction"; readonly id?: string | null; readonly encrypted_content: string };

export type ItemContextCompaction = {
  readonly type: "context_compaction";
  readonly id?: string | null;
  readonly encrypted_content?: string | null;
};
export type ItemItemReference = { readonly type?: "item_reference" | null; readonly id: string };

export type ItemAdditionalTools = {
  readonly type: "additional_tools";
  readonly id?: string | null;
  readonly role: "unknown" | "user" | "assistant" | "system" | "critic" | "discriminator" | "developer" | "tool";
  readonly tools: readonly (ToolFunction | ToolCustom | ToolNamespace | ToolWebSearch | ToolWebSearch20250826 | ToolWebSearchPreview | ToolWebSearchPreview20250311 | ToolFileSearch | ToolMcp | ToolComputerUsePreview | ToolCodeInterpreter | ToolImageGeneration | ToolLocalShell | ToolShell | ToolApplyPatch | ToolServiceWebSearch | ToolServiceWebFetch | ToolServiceExperimentalSearchModels | ToolServiceSearchModels | ToolServiceAdvisor | ToolServiceSubagent | ToolServiceFusion | ToolServiceApplyPatch | ToolServiceImageGeneration | ToolServiceToolSearch | ToolToolSearch | ToolServiceFiles | ToolServiceShell | ToolServiceBash | ToolServiceDatetime | { readonly type: string })[];
};

export type ToolFunction = {
  readonly type: "function";
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: { readonly [name: string]: unknown } | null;
  readonly strict?: boolean | null;
  readonly async?: boolean | null;
  readonly defer_loading?: boolean | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
};

export type ToolCustom = {
  readonly type: "custom";
  readonly name: string;
  readonly description?: string | null;
  readonly format?: { readonly type: "text" } | { readonly type: "grammar"; readonly syntax: "lark" | "regex"; readonly definition: string } | null;
  readonly async?: boolean | null;
};

export type ToolNamespace = {
  readonly type: "namespace";
  readonly name: string;
  readonly description: string;
  readonly tools: readonly ({
    readonly type: "function";
    readonly name: string;
    readonly description?: string | null;
    readonly parameters?: { readonly [name: string]: unknown } | null;
    readonly strict?: boolean | null;
    readonly async?: boolean | null;
    readonly defer_loading?: boolean | null;
    readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
    readonly output_schema?: { readonly [name: string]: unknown } | null;
    readonly allowed_callers?: readonly ("direct" | "programmatic")[] | null;
  } | {
    readonly type: "custom";
    readonly name: string;
    readonly description?: string | null;
    readonly format?: { readonly type: "text" } | { readonly type: "grammar"; readonly syntax: "lark" | "regex"; readonly definition: string } | null;
    readonly async?: boolean | null;
  })[];
};

export type ToolWebSearch = {
  readonly type: "web_search";
  readonly engine?: "auto" | "native" | "exa" | "parallel" | "firecrawl" | "perplexity" | null;
  readonly mode?: "instant" | "fast" | "auto" | "deep-lite" | "deep" | "deep-reasoning" | "turbo" | "basic" | "advanced" | null;
  readonly filters?: {
    readonly allowed_domains?: readonly string[] | null;
    readonly blocked_domains?: readonly string[] | null;
    readonly excluded_domains?: readonly string[] | null;
  } | null;
  readonly max_results?: number | null;
  readonly max_uses?: number | null;
  readonly search_context_size?: "low" | "medium" | "high" | null;
  readonly user_location?: {
    readonly type?: "approximate" | null;
    readonly city?: string | null;
    readonly country?: string | null;
    readonly region?: string | null;
    readonly timezone?: string | null;
  } | null;
};

export type ToolWebSearch20250826 = {
  readonly type: "web_search_2025_08_26";
  readonly engine?: "auto" | "native" | "exa" | "parallel" | "firecrawl" | "perplexity" | null;
  readonly mode?: "instant" | "fast" | "auto" | "deep-lite" | "deep" | "deep-reasoning" | "turbo" | "basic" | "advanced" | null;
  readonly filters?: {
    readonly allowed_domains?: readonly string[] | null;
    readonly blocked_domains?: readonly string[] | null;
    readonly excluded_domains?: readonly string[] | null;
  } | null;
  readonly max_results?: number | null;
  readonly max_uses?: number | null;
  readonly search_context_size?: "low" | "medium" | "high" | null;
  readonly user_location?: {
    readonly type?: "approximate" | null;
    readonly city?: string | null;
    readonly country?: string | null;
    readonly region?: string | null;
    readonly timezone?: string | null;
  } | null;
};

export type ToolWebSearchPreview = {
  readonly type: "web_search_preview";
  readonly engine?: "auto" | "native" | "exa" | "parallel" | "firecrawl" | "perplexity" | null;
  readonly mode?: "instant" | "fast" | "auto" | "deep-lite" | "deep" | "deep-reasoning" | "turbo" | "basic" | "advanced" | null;
  readonly filters?: {
    readonly allowed_domains?: readonly string[] | null;
    readonly blocked_domains?: readonly string[] | null;
    readonly excluded_domains?: readonly string[] | null;
  } | null;
  readonly max_results?: number | null;
  readonly max_uses?: number | null;
  readonly search_context_size?: "low" | "medium" | "high" | null;
  readonly user_location?: {
    readonly type: "approximate";
    readonly city?: string | null;
    readonly country?: string | null;
    readonly region?: string | null;
    readonly timezone?: string | null;
  } | null;
};

export type ToolWebSearchPreview20250311 = {
  readonly type: "web_search_preview_2025_03_11";
  readonly engine?: "auto" | "native" | "exa" | "parallel" | "firecrawl" | "perplexity" | null;
  readonly mode?: "instant" | "fast" | "auto" | "deep-lite" | "deep" | "deep-reasoning" | "turbo" | "basic" | "advanced" | null;
  readonly filters?: {
    readonly allowed_domains?: readonly string[] | null;
    readonly blocked_domains?: readonly string[] | null;
    readonly excluded_domains?: readonly string[] | null;
  } | null;
  readonly max_results?: number | null;
  readonly max_uses?: number | null;
  readonly search_context_size?: "low" | "medium" | "high" | null;
  readonly user_location?: {
    readonly type: "approximate";
    readonly city?: string | null;
    readonly country?: string | null;
    readonly region?: string | null;
    readonly timezone?: string | null;
  } | null;
};

export type ToolFileSearch = {
  readonly type: "file_search";
  readonly vector_store_ids: readonly string[];
  readonly max_num_results?: number | null;
  readonly filters?: {
    readonly key: string;
    readonly type: "eq" | "ne" | "gt" | "gte" | "lt" | "lte";
    readonly value: string | number | boolean | readonly (string | number)[];
  } | { readonly type: "and" | "or"; readonly filters: readonly ({ readonly [name: string]: unknown })[] } | null;
  readonly ranking_options?: { readonly ranker?: "auto" | "default-2024-11-15" | null; readonly score_threshold?: number | null } | null;
};

export type ToolMcp = {
  readonly type: "mcp";
  readonly server_label: string;
  readonly server_url?: string | null;
  readonly connector_id?: "connector_dropbox" | "connector_gmail" | "connector_googlecalendar" | "connector_googledrive" | "connector_microsoftteams" | "connector_outlookcalendar" | "connector_outlookemail" | "connector_sharepoint" | null;
  readonly authorization?: string | null;
  readonly headers?: { readonly [name: string]: string } | null;
  readonly server_description?: string | null;
  readonly allowed_tools?: readonly string[] | { readonly tool_names?: readonly string[] | null; readonly read_only?: boolean | null } | null;
  readonly require_approval?: "always" | "never" | {
    readonly always?: { readonly tool_names?: readonly string[] | null } | null;
    readonly never?: { readonly tool_names?: readonly string[] | null } | null;
  } | null;
};

export type ToolComputerUsePreview = {
  readonly type: "computer_use_preview";
  readonly display_width: number;
  readonly display_height: number;
  readonly environment: "windows" | "mac" | "linux" | "ubuntu" | "browser";
};

export type ToolCodeInterpreter = {
  readonly type: "code_interpreter";
  readonly container: string | {
    readonly type: "auto";
    readonly file_ids?: readonly string[] | null;
    readonly memory_limit?: "1g" | "4g" | "16g" | "64g" | null;
  };
};

export type ToolImageGeneration = {
  readonly type: "image_generation";
  readonly model?: string | null;
  readonly quality?: "low" | "medium" | "high" | "auto" | null;
  readonly size?: string | null;
  readonly background?: "transparent" | "opaque" | "auto" | null;
  readonly output_format?: "png" | "webp" | "jpeg" | null;
  readonly output_compression?: number | null;
  readonly partial_images?: number | null;
  readonly moderation?: "auto" | "low" | null;
  readonly input_fidelity?: "high" | "low" | null;
  readonly input_image_mask?: { readonly image_url?: string | null; readonly file_id?: string | null } | null;
};
export type ToolLocalShell = { readonly type: "local_shell" };
export type ToolShell = { readonly type: "shell" };
export type ToolApplyPatch = { readonly type: "apply_patch" };

export type ToolServiceWebSearch = {
  readonly type: "service:web_search";
  readonly parameters?: {
    readonly engine?: "auto" | "native" | "exa" | "parallel" | "firecrawl" | "perplexity" | "searxng" | "brave" | "tavily" | null;
    readonly mode?: "instant" | "fast" | "auto" | "deep-lite" | "deep" | "deep-reasoning" | "turbo" | "basic" | "advanced" | null;
    readonly filters?: {
      readonly allowed_domains?: readonly string[] | null;
      readonly blocked_domains?: readonly string[] | null;
      readonly excluded_domains?: readonly string[] | null;
    } | null;
    readonly max_results?: number | null;
    readonly max_uses?: number | null;
    readonly search_context_size?: "low" | "medium" | "high" | null;
    readonly user_location?: {
      readonly type?: "approximate" | null;
      readonly city?: string | null;
      readonly country?: string | null;
      readonly region?: string | null;
      readonly timezone?: string | null;
    } | null;
    readonly max_total_results?: number | null;
    readonly max_characters?: number | null;
    readonly allowed_domains?: readonly string[] | null;
    readonly excluded_domains?: readonly string[] | null;
  } | null;
};

export type ToolServiceWebFetch = {
  readonly type: "service:web_fetch";
  readonly parameters?: {
    readonly engine?: "auto" | "native" | "exa" | "service" | "firecrawl" | "parallel" | null;
    readonly max_uses?: number | null;
    readonly max_content_tokens?: number | null;
    readonly allowed_domains?: readonly string[] | null;
    readonly blocked_domains?: readonly string[] | null;
  } | null;
};

export type ToolServiceExperimentalSearchModels = {
  readonly type: "service:experimental__search_models";
  readonly parameters?: { readonly max_results?: number | null } | null;
};

export type ToolServiceSearchModels = {
  readonly type: "service:search_models";
  readonly parameters?: { readonly max_results?: number | null } | null;
};

export type ToolServiceAdvisor = {
  readonly type: "service:advisor";
  readonly parameters?: {
    readonly name?: string | null;
    readonly model?: string | null;
    readonly instructions?: string | null;
    readonly max_completion_tokens?: number | null;
    readonly temperature?: number | null;
    readonly reasoning?: {
      readonly effort?: "max" | "xhigh" | "high" | "medium" | "low" | "minimal" | "none" | null;
      readonly max_tokens?: number | null;
    } | null;
    readonly forward_transcript?: boolean | null;
    readonly stream?: boolean | null;
  } | null;
};

export type ToolServiceSubagent = {
  readonly type: "service:subagent";
  readonly parameters?: {
    readonly name?: string | null;
    readonly model?: string | null;
    readonly instructions?: string | null;
    readonly max_completion_tokens?: number | null;
    readonly temperature?: number | null;
    readonly reasoning?: {
      readonly effort?: "max" | "xhigh" | "high" | "medium" | "low" | "minimal" | "none" | null;
      readonly max_tokens?: number | null;
    } | null;
    readonly tools?: readonly ({ readonly [name: string]: unknown })[] | null;
    readonly inherit_functions?: boolean | null;
    readonly inherited_function_names?: readonly string[] | null;
    readonly max_tool_calls?: number | null;
  } | null;
};

export type ToolServiceFusion = {
  readonly type: "service:fusion";
  readonly parameters?: {
    readonly analysis_models?: readonly string[] | null;
    readonly model?: string | null;
    readonly tools?: readonly ({ readonly [name: string]: unknown })[] | null;
    readonly max_tool_calls?: number | null;
    readonly max_completion_tokens?: number | null;
    readonly temperature?: number | null;
    readonly reasoning?: {
      readonly effort?: "max" | "xhigh" | "high" | "medium" | "low" | "minimal" | "none" | null;
      readonly max_tokens?: number | null;
    } | null;
    readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  } | null;
};

export type ToolServiceApplyPatch = {
  readonly type: "service:apply_patch";
  readonly parameters?: { readonly engine?: "auto" | "native" | "service" | null } | null;
};

export type ToolServiceImageGeneration = {
  readonly type: "service:image_generation";
  readonly parameters?: {
    readonly model?: string | null;
    readonly quality?: string | null;
    readonly size?: string | null;
    readonly aspect_ratio?: string | null;
    readonly background?: string | null;
    readonly output_format?: "png" | "jpeg" | "webp" | null;
    readonly output_compression?: number | null;
    readonly partial_images?: number | null;
    readonly moderation?: "auto" | "low" | null;
  } | null;
};

export type ToolServiceToolSearch = {
  readonly type: "service:tool_search";
  readonly parameters?: { readonly max_results?: number | null } | null;
};
export type ToolToolSearch = { readonly type: "tool_search"; readonly parameters?: { readonly max_results?: number | null } | null };
export type ToolServiceFiles = { readonly type: "service:files"; readonly parameters?: {} | null };

export type ToolServiceShell = {
  readonly type: "service:shell";
  readonly parameters?: {
    readonly environment?: { readonly type: "container_auto" } | { readonly type: "container_reference"; readonly container_id: string } | null;
    readonly sleep_after_seconds?: number | null;
    readonly engine?: "auto" | "service" | null;
  } | null;
};

export type ToolServiceBash = {
  readonly type: "service:bash";
  readonly parameters?: {
    readonly environment?: { readonly type: "container_auto" } | { readonly type: "container_reference"; readonly container_id: string } | null;
    readonly sleep_after_seconds?: number | null;
    readonly engine?: "auto" | "native" | "service" | null;
  } | null;
};
export type ToolServiceDatetime = { readonly type: "service:datetime"; readonly parameters?: { readonly timezone?: string | null } | null };

export type ItemAgentMessage = {
  readonly type: "agent_message";
  readonly id?: string | null;
  readonly author: string;
  readonly recipient: string;
  readonly content: readonly (ContentInputText | ContentInputImage | ContentEncryptedContent)[];
  readonly agent?: { readonly agent_name: string } | null;
};
export type ContentEncryptedContent = { readonly type: "encrypted_content"; readonly encrypted_content: string };

export type ItemConfigurationUpdate = {
  readonly type: "configuration_update";
  readonly id?: string | null;
  readonly reasoning: { readonly effort: "max" | "xhigh" | "high" | "medium" | "low" | "minimal" | "none" };
};

export type ItemServiceDatetime = {
  readonly type: "service:datetime";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly datetime: string;
  readonly timezone: string;
};

export type ItemServiceWebSearch = {
  readonly type: "service:web_search";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly action?: {
    readonly type: "search";
    readonly query: string;
    readonly sources?: readonly ({ readonly type: "url"; readonly url: string })[] | null;
  } | null;
};

export type ItemServiceWebFetch = {
  readonly type: "service:web_fetch";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly url?: string | null;
  readonly title?: string | null;
  readonly content?: string | null;
  readonly httpStatus?: number | null;
  readonly error?: string | null;
};

export type ItemServiceImageGeneration = {
  readonly type: "service:image_generation";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly prompt?: string | null;
  readonly revisedPrompt?: string | null;
  readonly imageB64?: string | null;
  readonly imageUrl?: string | null;
  readonly result?: string | null;
};

export type ItemServiceCodeInterpreter = {
  readonly type: "service:code_interpreter";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly code?: string | null;
  readonly language?: string | null;
  readonly stdout?: string | null;
  readonly stderr?: string | null;
  readonly exitCode?: number | null;
};

export type ItemServiceFileSearch = {
  readonly type: "service:file_search";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly queries?: readonly string[] | null;
};

export type ItemServiceToolSearch = {
  readonly type: "service:tool_search";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly query?: string | null;
  readonly tools?: unknown;
  readonly error?: string | null;
};

export type ItemServiceBrowserUse = {
  readonly type: "service:browser_use";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly action?: string | null;
  readonly screenshotB64?: string | null;
};

export type ItemServiceBash = {
  readonly type: "service:bash";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly command?: string | null;
  readonly stdout?: string | null;
  readonly stderr?: string | null;
  readonly exitCode?: number | null;
  readonly call_id?: string | null;
  readonly arguments?: string | null;
};

export type ItemServiceShell = {
  readonly type: "service:shell";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly action?: {
    readonly commands: readonly string[];
    readonly timeout_ms?: number | null;
    readonly max_output_length?: number | null;
  } | null;
  readonly output?: readonly ({
    readonly stdout: string;
    readonly stderr: string;
    readonly outcome: { readonly type: "exit"; readonly exit_code: number } | { readonly type: "timeout" };
  })[] | null;
  readonly call_id?: string | null;
  readonly arguments?: string | null;
  readonly container_id?: string | null;
  readonly files?: unknown;
  readonly error?: unknown;
};

export type ItemServiceTextEditor = {
  readonly type: "service:text_editor";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly command?: "view" | "create" | "str_replace" | "insert" | null;
  readonly filePath?: string | null;
};

export type ItemServiceApplyPatch = {
  readonly type: "service:apply_patch";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly call_id?: string | null;
  readonly operation?: { readonly type: "create_file"; readonly path: string; readonly diff: string } | { readonly type: "update_file"; readonly path: string; readonly diff: string } | { readonly type: "delete_file"; readonly path: string } | null;
};

export type ItemServiceMemory = {
  readonly type: "service:memory";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly action?: "read" | "write" | "delete" | null;
  readonly key?: string | null;
  readonly value?: unknown;
};

export type ItemServiceMcp = {
  readonly type: "service:mcp";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly serverLabel?: string | null;
  readonly toolName?: string | null;
};

export type ItemServiceExperimentalSearchModels = {
  readonly type: "service:experimental__search_models";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly query?: string | null;
  readonly arguments?: string | null;
};

export type ItemServiceFiles = {
  readonly type: "service:files";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly operation?: string | null;
  readonly file_id?: string | null;
  readonly filename?: string | null;
  readonly result?: string | null;
  readonly error?: string | null;
  readonly call_id?: string | null;
  readonly arguments?: string | null;
};

export type ItemServiceFusion = {
  readonly type: "service:fusion";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | null;
  readonly analysis?: { readonly [name: string]: unknown } | null;
  readonly responses?: readonly ({ readonly model: string; readonly content?: string | null })[] | null;
  readonly sources?: readonly ({ readonly title?: string | null; readonly url?: string | null })[] | null;
  readonly failed_models?: readonly ({ readonly model: string; readonly error: string; readonly status_code?: number | null })[] | null;
  readonly failure_reason?: string | null;
  readonly error?: string | null;
};

export type ItemServiceAdvisor = {
  readonly type: "service:advisor";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | "failed" | null;
  readonly prompt?: string | null;
  readonly advice?: string | null;
  readonly model?: string | null;
  readonly instance_name?: string | null;
  readonly error?: string | null;
};

export type ItemServiceSubagent = {
  readonly type: "service:subagent";
  readonly id?: string | null;
  readonly status?: "in_progress" | "completed" | "incomplete" | "failed" | null;
  readonly call_id?: string | null;
  readonly task_name?: string | null;
  readonly task_description?: string | null;
  readonly outcome?: string | null;
  readonly model?: string | null;
  readonly name?: string | null;
  readonly instance_name?: string | null;
  readonly error?: string | null;
};

export type Response = {
  readonly id: string;
  readonly object: "response";
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly error: ResponseError | null;
  readonly error_type?: ErrorType;
  readonly incomplete_details: { readonly reason: "max_output_tokens" | "content_filter" } | null;
  readonly model: string;
  readonly output: readonly OutputItem[];
  readonly usage: Usage | null;
  readonly service_tier: string | null;
  readonly service_metadata?: ServiceMetadata;
  readonly instructions: string | null;
  readonly metadata: { readonly [name: string]: string } | null;
  readonly temperature: number | null;
  readonly top_p: number | null;
  readonly presence_penalty: number | null;
  readonly frequency_penalty: number | null;
  readonly tools: readonly ({ readonly [name: string]: unknown })[];
  readonly tool_choice: string | { readonly [name: string]: unknown };
  readonly parallel_tool_calls: boolean;
  readonly max_output_tokens: number | null;
  readonly max_tool_calls: number | null;
  readonly reasoning: { readonly [name: string]: unknown } | null;
  readonly text: { readonly [name: string]: unknown };
  readonly truncation: "auto" | "disabled";
  readonly store: boolean;
  readonly background: boolean;
  readonly top_logprobs: number;
  readonly previous_response_id: null;
  readonly safety_identifier: string | null;
  readonly prompt_cache_key: string | null;
  readonly user: string | null;
  readonly prompt?: { readonly [name: string]: unknown };
  readonly prompt_cache_options?: { readonly [name: string]: unknown };
};

export type ResponseError = {
  readonly code: "invalid_prompt" | "server_error" | "image_content_policy_violation" | "rate_limit_exceeded";
  readonly message: string;
  readonly type?: string;
  readonly metadata?: {
    readonly code?: number;
    readonly provider_code?: string;
    readonly provider_name?: string;
    readonly credential_label?: string;
    readonly previous_errors?: readonly ({ readonly provider: string; readonly code: string; readonly status: number })[];
    readonly permission?: string;
    readonly roles?: readonly string[];
    readonly limit_source?: string;
    readonly scope?: string;
    readonly limit_usd?: number;
    readonly spend_usd?: number;
    readonly resets_at?: string | null;
    readonly reason?: string;
    readonly rate?: {
      readonly metric: "requests" | "tokens" | "parallel";
      readonly limit: number;
      readonly used: number;
      readonly window_seconds?: number;
    };
    readonly remedy_hint?: string;
    readonly patterns?: readonly string[];
    readonly file_annotations?: readonly ({ readonly [name: string]: unknown })[];
    readonly reasons?: readonly string[];
    readonly flagged_input?: string;
    readonly model_slug?: string;
    readonly availability?: {
      readonly code: string;
      readonly retryable: boolean;
      readonly requested_models: readonly string[];
      readonly docs_url: string;
      readonly retry_after?: number;
      readonly affected_providers?: readonly string[];
      readonly excluded_by?: readonly string[];
      readonly fallback_models?: readonly string[];
      readonly constraint?: { readonly field: string; readonly detail: string };
      readonly tokens?: { readonly input: number; readonly output: number; readonly available: number };
    };
    readonly unsupported?: readonly string[];
  };
};
export type ErrorType = "invalid_request" | "invalid_image" | "unsupported_image_format" | "context_length_exceeded" | "authentication" | "payment_required" | "permission_denied" | "content_policy_violation" | "not_found" | "timeout" | "payload_too_large" | "unprocessable" | "rate_limit_exceeded" | "server" | "provider_unavailable" | "provider_overloaded" | "max_tokens_exceeded";
export type OutputItem = OutputMessage | OutputReasoning | OutputFunctionCall | OutputCustomToolCall | OutputWebSearchCall | OutputFileSearchCall | OutputImageGenerationCall | OutputCodeInterpreterCall | OutputComputerCall | OutputShellCall | OutputShellCallOutput | OutputApplyPatchCall | OutputMcpListTools | OutputMcpApprovalRequest | OutputMcpCall | OutputServiceDatetime | OutputServiceWebSearch | OutputServiceWebFetch | OutputServiceExperimentalSearchModels | OutputServiceAdvisor | OutputServiceSubagent | OutputServiceApplyPatch | OutputServiceFusion | OutputServiceFiles | OutputServiceImageGeneration | OutputServiceShell | OutputServiceBash | OutputServiceToolSearch;

export type OutputMessage = {
  readonly type: "message";
  readonly id: string;
  readonly role: "assistant";
  readonly status: "in_progress" | "completed" | "incomplete";
  readonly content: readonly (OutputText | { readonly type: "refusal"; readonly refusal: string })[];
  readonly phase?: "commentary" | "final_answer";
};

export type OutputText = {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly (AnnotationUrlCitation | AnnotationFileCitation | { readonly type: "file_path"; readonly file_id: string; readonly index: number } | AnnotationFile)[];
  readonly logprobs: readonly TokenLogprob[];
};

export type TokenLogprob = {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly ({ readonly token: string; readonly logprob: number; readonly bytes: readonly number[] })[];
};

export type OutputReasoning = {
  readonly type: "reasoning";
  readonly id: string;
  readonly status: "in_progress" | "completed" | "incomplete";
  readonly summary: readonly ({ readonly type: "summary_text"; readonly text: string })[];
  readonly content: readonly ({ readonly type: "reasoning_text"; readonly text: string })[];
  readonly encrypted_content?: string;
  readonly signature?: string;
  readonly format?: string;
};

export type OutputFunctionCall = {
  readonly type: "function_call";
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly status: "in_progress" | "completed" | "incomplete";
  readonly namespace?: string;
  readonly async?: boolean;
  readonly subagent_id?: string;
  readonly subagent_items?: readonly ({ readonly [name: string]: unknown })[];
};

export type OutputCustomToolCall = {
  readonly type: "custom_tool_call";
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  readonly input: string;
  readonly status: "in_progress" | "completed" | "incomplete";
  readonly namespace?: string;
  readonly async?: boolean;
};

export type OutputWebSearchCall = {
  readonly type: "web_search_call";
  readonly id: string | null;
  readonly action?: {
    readonly type: "search";
    readonly query: string;
    readonly queries?: readonly string[] | null;
    readonly sources?: readonly ({ readonly type: "url"; readonly url: string })[] | null;
  } | { readonly type: "open_page"; readonly url?: string | null } | { readonly type: "find_in_page"; readonly pattern: string; readonly url: string } | null;
  readonly status: "in_progress" | "searching" | "completed" | "failed" | null;
};

export type OutputFileSearchCall = {
  readonly type: "file_search_call";
  readonly id: string | null;
  readonly queries: readonly string[];
  readonly results?: readonly ({ readonly [name: string]: unknown })[] | null;
  readonly status: "in_progress" | "searching" | "completed" | "failed" | null;
};

export type OutputImageGenerationCall = {
  readonly type: "image_generation_call";
  readonly id: string | null;
  readonly result?: string | null;
  readonly prompt?: string | null;
  readonly status: "in_progress" | "generating" | "completed" | "failed" | null;
};

export type OutputCodeInterpreterCall = {
  readonly type: "code_interpreter_call";
  readonly id: string | null;
  readonly code?: string | null;
  readonly container_id?: string | null;
  readonly outputs?: readonly ({ readonly type: "logs"; readonly logs: string } | { readonly type: "image"; readonly url: string } | {
    readonly type: "file";
    readonly id?: string | null;
    readonly filename?: string | null;
    readonly media_type?: string | null;
    readonly size_bytes?: number | null;
    readonly sha256?: string | null;
    readonly download_url?: string | null;
    readonly expires_at?: string | null;
    readonly status?: string | null;
    readonly error_code?: string | null;
  })[] | null;
  readonly status: "in_progress" | "completed" | "incomplete" | "interpreting" | "failed" | null;
};

export type OutputComputerCall = {
  readonly type: "computer_call";
  readonly id: string | null;
  readonly call_id: string;
  readonly pending_safety_checks: readonly ({ readonly id: string; readonly code?: string | null; readonly message?: string | null })[];
  readonly action?: { readonly [name: string]: unknown } | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
};

export type OutputShellCall = {
  readonly type: "shell_call";
  readonly id: string | null;
  readonly call_id: string;
  readonly action: {
    readonly commands: readonly string[];
    readonly timeout_ms?: number | null;
    readonly max_output_length?: number | null;
  };
  readonly arguments?: string | null;
  readonly environment?: unknown;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
};

export type OutputShellCallOutput = {
  readonly type: "shell_call_output";
  readonly id: string | null;
  readonly call_id: string;
  readonly output: readonly ({
    readonly stdout: string;
    readonly stderr: string;
    readonly outcome: { readonly type: "exit"; readonly exit_code: number } | { readonly type: "timeout" };
  })[];
  readonly max_output_length?: number | null;
  readonly container_id?: string | null;
  readonly files?: unknown;
  readonly error?: unknown;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
};

export type OutputApplyPatchCall = {
  readonly type: "apply_patch_call";
  readonly id: string | null;
  readonly call_id: string;
  readonly operation: { readonly type: "create_file"; readonly path: string; readonly diff: string } | { readonly type: "update_file"; readonly path: string; readonly diff: string } | { readonly type: "delete_file"; readonly path: string };
  readonly status: "in_progress" | "completed" | null;
};

export type OutputMcpListTools = {
  readonly type: "mcp_list_tools";
  readonly id: string | null;
  readonly server_label: string;
  readonly tools: readonly ({
    readonly name: string;
    readonly input_schema: { readonly [name: string]: unknown };
    readonly description?: string | null;
    readonly annotations?: unknown;
  })[];
  readonly error?: string | { readonly [name: string]: unknown } | null;
};

export type OutputMcpApprovalRequest = {
  readonly type: "mcp_approval_request";
  readonly id: string;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
};

export type OutputMcpCall = {
  readonly type: "mcp_call";
  readonly id: string | null;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly output?: string | null;
  readonly error?: string | { readonly [name: string]: unknown } | null;
  readonly approval_request_id?: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | "failed" | null;
};

export type OutputServiceDatetime = {
  readonly type: "service:datetime";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly datetime: string;
  readonly timezone: string;
};

export type OutputServiceWebSearch = {
  readonly type: "service:web_search";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly action?: {
    readonly type: "search";
    readonly query: string;
    readonly sources?: readonly ({ readonly type: "url"; readonly url: string })[] | null;
  } | null;
};

export type OutputServiceWebFetch = {
  readonly type: "service:web_fetch";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly url?: string | null;
  readonly title?: string | null;
  readonly content?: string | null;
  readonly httpStatus?: number | null;
  readonly error?: string | null;
};

export type OutputServiceExperimentalSearchModels = {
  readonly type: "service:experimental__search_models";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly query?: string | null;
  readonly arguments?: string | null;
};

export type OutputServiceAdvisor = {
  readonly type: "service:advisor";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | "failed" | null;
  readonly prompt?: string | null;
  readonly advice?: string | null;
  readonly model?: string | null;
  readonly instance_name?: string | null;
  readonly error?: string | null;
};

export type OutputServiceSubagent = {
  readonly type: "service:subagent";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | "failed" | null;
  readonly call_id?: string | null;
  readonly task_name?: string | null;
  readonly task_description?: string | null;
  readonly outcome?: string | null;
  readonly model?: string | null;
  readonly name?: string | null;
  readonly instance_name?: string | null;
  readonly error?: string | null;
};

export type OutputServiceApplyPatch = {
  readonly type: "service:apply_patch";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly call_id?: string | null;
  readonly operation?: { readonly type: "create_file"; readonly path: string; readonly diff: string } | { readonly type: "update_file"; readonly path: string; readonly diff: string } | { readonly type: "delete_file"; readonly path: string } | null;
};

export type OutputServiceFusion = {
  readonly type: "service:fusion";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly analysis?: { readonly [name: string]: unknown } | null;
  readonly responses?: readonly ({ readonly model: string; readonly content?: string | null })[] | null;
  readonly sources?: readonly ({ readonly title?: string | null; readonly url?: string | null })[] | null;
  readonly failed_models?: readonly ({ readonly model: string; readonly error: string; readonly status_code?: number | null })[] | null;
  readonly failure_reason?: string | null;
  readonly error?: string | null;
};

export type OutputServiceFiles = {
  readonly type: "service:files";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly operation?: string | null;
  readonly file_id?: string | null;
  readonly filename?: string | null;
  readonly result?: string | null;
  readonly error?: string | null;
  readonly call_id?: string | null;
  readonly arguments?: string | null;
};

export type OutputServiceImageGeneration = {
  readonly type: "service:image_generation";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly prompt?: string | null;
  readonly revisedPrompt?: string | null;
  readonly imageB64?: string | null;
  readonly imageUrl?: string | null;
  readonly result?: string | null;
};

export type OutputServiceShell = {
  readonly type: "service:shell";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly action?: {
    readonly commands: readonly string[];
    readonly timeout_ms?: number | null;
    readonly max_output_length?: number | null;
  } | null;
  readonly output?: readonly ({
    readonly stdout: string;
    readonly stderr: string;
    readonly outcome: { readonly type: "exit"; readonly exit_code: number } | { readonly type: "timeout" };
  })[] | null;
  readonly call_id?: string | null;
  readonly arguments?: string | null;
  readonly container_id?: string | null;
  readonly files?: unknown;
  readonly error?: unknown;
};

export type OutputServiceBash = {
  readonly type: "service:bash";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly command?: string | null;
  readonly stdout?: string | null;
  readonly stderr?: string | null;
  readonly exitCode?: number | null;
  readonly call_id?: string | null;
  readonly arguments?: string | null;
};

export type OutputServiceToolSearch = {
  readonly type: "service:tool_search";
  readonly id: string | null;
  readonly status: "in_progress" | "completed" | "incomplete" | null;
  readonly query?: string | null;
  readonly tools?: unknown;
  readonly error?: string | null;
};

export type Usage = {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
  readonly cost?: number | null;
  readonly is_byok: boolean;
  readonly cost_details?: {
    readonly upstream_inference_cost: number | null;
    readonly upstream_inference_input_cost: number;
    readonly upstream_inference_output_cost: number;
  };
  readonly server_tool_use_details?: {
    readonly tool_calls_requested: number;
    readonly tool_calls_executed: number;
    readonly web_search_requests: number;
  };
};

/** One event: the `data` of a server-sent event whose name is its `type`. Numbers run from 0 without gaps. After any `response.debug` a stream begins with `response.created`; it ends with one of `response.completed`, `response.incomplete` and `response.failed`, then `data: [DONE]`. Comments in between keep the connection alive. */
export type StreamEvent = DebugEvent | CreatedEvent | InProgressEvent | OutputItemAddedEvent | OutputItemDoneEvent | ContentPartAddedEvent | ContentPartDoneEvent | OutputTextDeltaEvent | OutputTextDoneEvent | OutputTextAnnotationAddedEvent | RefusalDeltaEvent | RefusalDoneEvent | ReasoningTextDeltaEvent | ReasoningTextDoneEvent | ReasoningSummaryPartAddedEvent | ReasoningSummaryPartDoneEvent | ReasoningSummaryTextDeltaEvent | ReasoningSummaryTextDoneEvent | FunctionCallArgumentsDeltaEvent | FunctionCallArgumentsDoneEvent | CustomToolCallInputDeltaEvent | CustomToolCallInputDoneEvent | WebSearchCallInProgressEvent | WebSearchCallSearchingEvent | WebSearchCallCompletedEvent | FileSearchCallInProgressEvent | FileSearchCallSearchingEvent | FileSearchCallCompletedEvent | ImageGenerationCallInProgressEvent | ImageGenerationCallGeneratingEvent | ImageGenerationCallPartialImageEvent | ImageGenerationCallCompletedEvent | FusionCallInProgressEvent | FusionCallPanelAddedEvent | FusionCallPanelDeltaEvent | FusionCallPanelReasoningDeltaEvent | FusionCallPanelCompletedEvent | FusionCallPanelFailedEvent | FusionCallAnalysisInProgressEvent | FusionCallAnalysisCompletedEvent | FusionCallCompletedEvent | CodeInterpreterCallInProgressEvent | CodeInterpreterCallCodeDeltaEvent | CodeInterpreterCallCodeDoneEvent | CodeInterpreterCallInterpretingEvent | CodeInterpreterCallCompletedEvent | ApplyPatchCallOperationDiffDeltaEvent | ApplyPatchCallOperationDiffDoneEvent | McpListToolsInProgressEvent | McpListToolsCompletedEvent | McpListToolsFailedEvent | McpCallInProgressEvent | McpCallArgumentsDeltaEvent | McpCallArgumentsDoneEvent | McpCallCompletedEvent | McpCallFailedEvent | ErrorEvent | CompletedEvent | IncompleteEvent | FailedEvent;

/** First of all, for each provider asked, where `debug.echo_upstream_body` is true. */
export type DebugEvent = {
  readonly type: "response.debug";
  readonly debug: { readonly echo_upstream_body?: unknown };
  readonly sequence_number: number;
};

/** A provider answers; the snapshot names the model that does. */
export type CreatedEvent = { readonly type: "response.created"; readonly response: Response; readonly sequence_number: number };

/** Follows at once, with the same snapshot. */
export type InProgressEvent = { readonly type: "response.in_progress"; readonly response: Response; readonly sequence_number: number };

/** An item of the output begins, still empty. */
export type OutputItemAddedEvent = {
  readonly type: "response.output_item.added";
  readonly output_index: number;
  readonly item: OutputItem;
  readonly sequence_number: number;
};

/** An item is whole, or was cut off by a limit. */
export type OutputItemDoneEvent = {
  readonly type: "response.output_item.done";
  readonly output_index: number;
  readonly item: OutputItem;
  readonly sequence_number: number;
};

/** A part of a message or of reasoning begins, still empty. */
export type ContentPartAddedEvent = {
  readonly type: "response.content_part.added";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly part: ContentPart;
  readonly sequence_number: number;
};
export type ContentPart = OutputText | { readonly type: "refusal"; readonly refusal: string } | { readonly type: "reasoning_text"; readonly text: string };

/** A part is whole. */
export type ContentPartDoneEvent = {
  readonly type: "response.content_part.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly part: ContentPart;
  readonly sequence_number: number;
};

/** The next piece of a text. */
export type OutputTextDeltaEvent = {
  readonly type: "response.output_text.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly delta: string;
  readonly logprobs: readonly TokenLogprob[];
  readonly sequence_number: number;
};

/** The whole text. */
export type OutputTextDoneEvent = {
  readonly type: "response.output_text.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly text: string;
  readonly logprobs: readonly TokenLogprob[];
  readonly sequence_number: number;
};

/** A citation in a text; it counts UTF-16 units of the whole text. */
export type OutputTextAnnotationAddedEvent = {
  readonly type: "response.output_text.annotation.added";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly annotation_index: number;
  readonly annotation: AnnotationUrlCitation | AnnotationFileCitation | { readonly type: "file_path"; readonly file_id: string; readonly index: number } | AnnotationFile;
  readonly sequence_number: number;
};

/** The next piece of a refusal. */
export type RefusalDeltaEvent = {
  readonly type: "response.refusal.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly delta: string;
  readonly sequence_number: number;
};

/** The whole refusal. */
export type RefusalDoneEvent = {
  readonly type: "response.refusal.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly refusal: string;
  readonly sequence_number: number;
};

/** The next piece of what the model thinks. */
export type ReasoningTextDeltaEvent = {
  readonly type: "response.reasoning_text.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly delta: string;
  readonly sequence_number: number;
};

/** All of it. */
export type ReasoningTextDoneEvent = {
  readonly type: "response.reasoning_text.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
  readonly text: string;
  readonly sequence_number: number;
};

/** A part of the summary of reasoning begins. */
export type ReasoningSummaryPartAddedEvent = {
  readonly type: "response.reasoning_summary_part.added";
  readonly item_id: string;
  readonly output_index: number;
  readonly summary_index: number;
  readonly part: { readonly type: "summary_text"; readonly text: string };
  readonly sequence_number: number;
};

/** A part of the summary is whole. */
export type ReasoningSummaryPartDoneEvent = {
  readonly type: "response.reasoning_summary_part.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly summary_index: number;
  readonly part: { readonly type: "summary_text"; readonly text: string };
  readonly sequence_number: number;
};

/** The next piece of a part of the summary. */
export type ReasoningSummaryTextDeltaEvent = {
  readonly type: "response.reasoning_summary_text.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly summary_index: number;
  readonly delta: string;
  readonly sequence_number: number;
};

/** The whole part of the summary. */
export type ReasoningSummaryTextDoneEvent = {
  readonly type: "response.reasoning_summary_text.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly summary_index: number;
  readonly text: string;
  readonly sequence_number: number;
};

/** The next piece of the arguments of a function. */
export type FunctionCallArgumentsDeltaEvent = {
  readonly type: "response.function_call_arguments.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly delta: string;
  readonly sequence_number: number;
};

/** The whole arguments, as JSON in a string. */
export type FunctionCallArgumentsDoneEvent = {
  readonly type: "response.function_call_arguments.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly name: string;
  readonly arguments: string;
  readonly sequence_number: number;
};

/** The next piece of the input of a custom tool. */
export type CustomToolCallInputDeltaEvent = {
  readonly type: "response.custom_tool_call_input.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly delta: string;
  readonly sequence_number: number;
};

/** The whole input. */
export type CustomToolCallInputDoneEvent = {
  readonly type: "response.custom_tool_call_input.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly input: string;
  readonly sequence_number: number;
};

/** A search of the web begins. */
export type WebSearchCallInProgressEvent = {
  readonly type: "response.web_search_call.in_progress";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The provider searches. */
export type WebSearchCallSearchingEvent = {
  readonly type: "response.web_search_call.searching";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The search is over; one that failed ends without this. */
export type WebSearchCallCompletedEvent = {
  readonly type: "response.web_search_call.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** A search of files begins. */
export type FileSearchCallInProgressEvent = {
  readonly type: "response.file_search_call.in_progress";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The provider searches. */
export type FileSearchCallSearchingEvent = {
  readonly type: "response.file_search_call.searching";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The search is over; one that failed ends without this. */
export type FileSearchCallCompletedEvent = {
  readonly type: "response.file_search_call.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** A picture is begun. */
export type ImageGenerationCallInProgressEvent = {
  readonly type: "response.image_generation_call.in_progress";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The provider draws. */
export type ImageGenerationCallGeneratingEvent = {
  readonly type: "response.image_generation_call.generating";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** A picture as far as it got, in base64. */
export type ImageGenerationCallPartialImageEvent = {
  readonly type: "response.image_generation_call.partial_image";
  readonly item_id: string;
  readonly output_index: number;
  readonly partial_image_b64: string;
  readonly partial_image_index: number;
  readonly sequence_number: number;
};

/** The picture is done; one that failed ends without this. */
export type ImageGenerationCallCompletedEvent = {
  readonly type: "response.image_generation_call.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** A panel is about to be asked. */
export type FusionCallInProgressEvent = {
  readonly type: "response.fusion_call.in_progress";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** A model of the panel is asked. */
export type FusionCallPanelAddedEvent = {
  readonly type: "response.fusion_call.panel.added";
  readonly item_id: string;
  readonly output_index: number;
  readonly model: string;
  readonly sequence_number: number;
};

/** The next piece of its answer. */
export type FusionCallPanelDeltaEvent = {
  readonly type: "response.fusion_call.panel.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly model: string;
  readonly delta: string;
  readonly sequence_number: number;
};

/** The next piece of its thoughts. */
export type FusionCallPanelReasoningDeltaEvent = {
  readonly type: "response.fusion_call.panel.reasoning.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly model: string;
  readonly delta: string;
  readonly sequence_number: number;
};

/** Its whole answer. */
export type FusionCallPanelCompletedEvent = {
  readonly type: "response.fusion_call.panel.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly model: string;
  readonly content: string;
  readonly sequence_number: number;
};

/** It did not answer. */
export type FusionCallPanelFailedEvent = {
  readonly type: "response.fusion_call.panel.failed";
  readonly item_id: string;
  readonly output_index: number;
  readonly model: string;
  readonly error: string;
  readonly status_code?: number;
  readonly sequence_number: number;
};

/** The analyst compares the answers; both members name it. */
export type FusionCallAnalysisInProgressEvent = {
  readonly type: "response.fusion_call.analysis.in_progress";
  readonly item_id: string;
  readonly output_index: number;
  readonly analyst_model: string;
  readonly judge_model: string;
  readonly sequence_number: number;
};

/** What it found; without this it failed. */
export type FusionCallAnalysisCompletedEvent = {
  readonly type: "response.fusion_call.analysis.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly analysis: { readonly [name: string]: unknown };
  readonly sequence_number: number;
};

/** The panel is done. */
export type FusionCallCompletedEvent = {
  readonly type: "response.fusion_call.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The model begins to write code to be run. */
export type CodeInterpreterCallInProgressEvent = {
  readonly type: "response.code_interpreter_call.in_progress";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The next piece of the code. */
export type CodeInterpreterCallCodeDeltaEvent = {
  readonly type: "response.code_interpreter_call_code.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly delta: string;
  readonly sequence_number: number;
};

/** The whole code. */
export type CodeInterpreterCallCodeDoneEvent = {
  readonly type: "response.code_interpreter_call_code.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly code: string;
  readonly sequence_number: number;
};

/** The provider runs it. */
export type CodeInterpreterCallInterpretingEvent = {
  readonly type: "response.code_interpreter_call.interpreting";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** It has run; what failed ends without this. */
export type CodeInterpreterCallCompletedEvent = {
  readonly type: "response.code_interpreter_call.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The next piece of a patch. */
export type ApplyPatchCallOperationDiffDeltaEvent = {
  readonly type: "response.apply_patch_call_operation_diff.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly delta: string;
  readonly sequence_number: number;
};

/** The whole patch. */
export type ApplyPatchCallOperationDiffDoneEvent = {
  readonly type: "response.apply_patch_call_operation_diff.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly diff: string;
  readonly sequence_number: number;
};

/** The tools of an MCP server are asked for. */
export type McpListToolsInProgressEvent = {
  readonly type: "response.mcp_list_tools.in_progress";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** They are known. */
export type McpListToolsCompletedEvent = {
  readonly type: "response.mcp_list_tools.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** They could not be had. */
export type McpListToolsFailedEvent = {
  readonly type: "response.mcp_list_tools.failed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** A call of a tool of an MCP server begins. */
export type McpCallInProgressEvent = {
  readonly type: "response.mcp_call.in_progress";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The next piece of its arguments. */
export type McpCallArgumentsDeltaEvent = {
  readonly type: "response.mcp_call_arguments.delta";
  readonly item_id: string;
  readonly output_index: number;
  readonly delta: string;
  readonly sequence_number: number;
};

/** The whole arguments. */
export type McpCallArgumentsDoneEvent = {
  readonly type: "response.mcp_call_arguments.done";
  readonly item_id: string;
  readonly output_index: number;
  readonly arguments: string;
  readonly sequence_number: number;
};

/** The tool has answered. */
export type McpCallCompletedEvent = {
  readonly type: "response.mcp_call.completed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The tool failed. */
export type McpCallFailedEvent = {
  readonly type: "response.mcp_call.failed";
  readonly item_id: string;
  readonly output_index: number;
  readonly sequence_number: number;
};

/** The answer broke off; `response.failed` follows with the details. */
export type ErrorEvent = {
  readonly type: "error";
  readonly code: string | null;
  readonly message: string;
  readonly param: string | null;
  readonly sequence_number: number;
};

/** The end of a whole answer: the response with its usage and cost. */
export type CompletedEvent = { readonly type: "response.completed"; readonly response: Response; readonly sequence_number: number };

/** The end of an answer that a limit or a filter cut off. */
export type IncompleteEvent = { readonly type: "response.incomplete"; readonly response: Response; readonly sequence_number: number };

/** The end of an answer that broke off, with the error and what there was. */
export type FailedEvent = { readonly type: "response.failed"; readonly response: Response; readonly sequence_number: number };

export type CompactionRequest = {
  readonly model?: string | null;
  readonly models?: readonly string[] | null;
  readonly stream?: boolean | null;
  readonly store?: boolean | null;
  readonly service_tier?: "auto" | "default" | "fast" | "flex" | "priority" | "scale" | null;
  readonly session_id?: string | null;
  readonly user?: string | null;
  readonly safety_identifier?: string | null;
  readonly prompt_cache_key?: string | null;
  readonly provider?: ProviderPreferences | null;
  readonly route?: unknown;
  readonly input?: Input | null;
  readonly instructions?: string | null;
  readonly previous_response_id?: unknown;
  readonly conversation?: unknown;
};

export type Compaction = {
  readonly id: string;
  readonly object: "response.compaction";
  readonly created_at: number;
  readonly model?: string;
  readonly output: readonly ({ readonly [name: string]: unknown })[];
  readonly usage: Usage;
  readonly service_metadata?: ServiceMetadata;
};

export type RoutePlan = {
  readonly object: "route_plan";
  readonly requested: readonly string[];
  readonly region: string | null;
  readonly models: readonly ({
    readonly requested: string;
    readonly id: string;
    readonly named_by: "name" | "legacy" | "latest" | "router";
    readonly variant: string | null;
  })[];
  /** What the routers chose that the request names, and why */
  readonly routers: readonly ({
    readonly slug: string;
    readonly strategy: string;
    readonly summary: string;
    readonly data: { readonly [name: string]: unknown };
  })[];
  readonly prompt_tokens: number;
  readonly max_output_tokens: number | null;
  readonly plan: readonly ({
    readonly position: number;
    readonly provider: string;
    readonly provider_slug: string;
    readonly tag: string;
    readonly tier: string;
    readonly model: string;
    readonly credential: "own" | "shared" | "own_fallback";
    readonly credential_label: string | null;
    readonly is_byok: boolean;
    readonly pricing: { readonly [name: string]: unknown } | null;
    readonly list_cost_ceiling: number | null;
    /** What decided between it and the endpoint before it; for the first one, the endpoint after it */
    readonly because: "only" | "sticky" | "drawn" | "speed_wanted" | "model" | "credential" | "order" | "service_tier" | "own_endpoint" | "health" | "tool_calls" | "speed" | "price" | "name";
    readonly alterations: readonly ({ readonly field: string; readonly action: "emulated" | "dropped" | "adapted"; readonly how: string })[];
  })[];
  readonly excluded: readonly ({
    readonly provider: string;
    readonly provider_slug: string;
    readonly tag: string;
    readonly model: string;
    readonly reason: string;
  })[];
  readonly cost_ceiling: number | null;
  readonly refusal: Error['error'] | null;
  readonly verdict: { readonly admitted: boolean; readonly error: Error['error'] | null };
};

export type ChatRequest = {
  readonly model?: string | null;
  readonly models?: readonly string[] | null;
  readonly stream?: boolean | null;
  readonly store?: boolean | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly top_k?: number | null;
  readonly min_p?: number | null;
  readonly top_a?: number | null;
  readonly frequency_penalty?: number | null;
  readonly presence_penalty?: number | null;
  readonly repetition_penalty?: number | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly logit_bias?: { readonly [name: string]: number } | null;
  readonly top_logprobs?: number | null;
  readonly max_tool_calls?: number | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly metadata?: { readonly [name: string]: string } | null;
  readonly service_tier?: "auto" | "default" | "fast" | "flex" | "priority" | "scale" | null;
  readonly session_id?: string | null;
  readonly user?: string | null;
  readonly safety_identifier?: string | null;
  readonly prompt_cache_key?: string | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_options?: { readonly mode: "explicit"; readonly ttl?: string | null } | null;
  readonly debug?: { readonly echo_upstream_body?: boolean | null } | null;
  readonly image_config?: { readonly [name: string]: string | number | readonly unknown[] } | null;
  readonly reasoning?: Reasoning | null;
  readonly stop_server_tools_when?: StopConditions | null;
  readonly trace?: {
    readonly trace_id?: string | null;
    readonly trace_name?: string | null;
    readonly span_name?: string | null;
    readonly generation_name?: string | null;
    readonly parent_span_id?: string | null;
  } | null;
  readonly plugins?: Plugins | null;
  readonly provider?: ProviderPreferences | null;
  readonly route?: unknown;
  readonly messages?: readonly ({ readonly role: "system" | "developer"; readonly content: ChatContent; readonly name?: string | null } | { readonly role: "user"; readonly content: ChatContent; readonly name?: string | null } | {
    readonly role: "assistant";
    readonly content?: ChatContent | null;
    readonly name?: string | null;
    readonly refusal?: string | null;
    readonly reasoning?: string | null;
    readonly reasoning_details?: readonly ({ readonly [name: string]: unknown })[] | null;
    readonly tool_calls?: readonly ({
      readonly id: string;
      readonly type?: "function" | null;
      readonly function: { readonly name: string; readonly arguments?: string | null };
      readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
    })[] | null;
    readonly audio?: { readonly id?: string | null; readonly transcript?: string | null } | null;
  } | { readonly role: "tool"; readonly tool_call_id: string; readonly content?: ChatContent | null })[] | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly logprobs?: boolean | null;
  readonly n?: number | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
  readonly usage?: { readonly include?: boolean | null } | null;
  readonly reasoning_effort?: string | null;
  readonly include_reasoning?: boolean | null;
  readonly verbosity?: "low" | "medium" | "high" | "xhigh" | "max" | null;
  readonly response_format?: { readonly type: "text" } | { readonly type: "json_object"; readonly schema?: { readonly [name: string]: unknown } | null } | {
    readonly type: "json_schema";
    readonly json_schema: {
      readonly name: string;
      readonly schema?: { readonly [name: string]: unknown } | null;
      readonly description?: string | null;
      readonly strict?: boolean | null;
    };
  } | null;
  readonly tools?: readonly ({
    readonly type: "function";
    readonly function: {
      readonly name: string;
      readonly description?: string | null;
      readonly parameters?: { readonly [name: string]: unknown } | null;
      readonly strict?: boolean | null;
    };
  } | ToolFunction | ToolCustom | ToolNamespace | ToolWebSearch | ToolWebSearch20250826 | ToolWebSearchPreview | ToolWebSearchPreview20250311 | ToolFileSearch | ToolMcp | ToolComputerUsePreview | ToolCodeInterpreter | ToolImageGeneration | ToolLocalShell | ToolShell | ToolApplyPatch | ToolServiceWebSearch | ToolServiceWebFetch | ToolServiceExperimentalSearchModels | ToolServiceSearchModels | ToolServiceAdvisor | ToolServiceSubagent | ToolServiceFusion | ToolServiceApplyPatch | ToolServiceImageGeneration | ToolServiceToolSearch | ToolToolSearch | ToolServiceFiles | ToolServiceShell | ToolServiceBash | ToolServiceDatetime)[] | null;
  readonly tool_choice?: { readonly type: "function"; readonly function: { readonly name: string } } | "auto" | "none" | "required" | { readonly type: "function"; readonly name: string; readonly namespace?: string | null } | { readonly type: "custom"; readonly name: string; readonly namespace?: string | null } | {
    readonly type: "allowed_tools";
    readonly mode: "auto" | "required";
    readonly tools: readonly ({ readonly [name: string]: unknown })[];
  } | {
    readonly type: "web_search_preview" | "web_search_preview_2025_03_11" | "apply_patch" | "shell" | "service:advisor" | "service:apply_patch" | "service:bash" | "service:datetime" | "service:experimental__search_models" | "service:files" | "service:fusion" | "service:image_generation" | "service:search_models" | "service:shell" | "service:subagent" | "service:tool_search" | "service:web_fetch" | "service:web_search" | "tool_search";
  } | null;
  readonly modalities?: readonly ("text" | "image" | "audio")[] | null;
  readonly audio?: { readonly voice: string | { readonly [name: string]: unknown }; readonly format: string } | null;
  readonly prediction?: {
    readonly type: "content";
    readonly content: string | readonly ({ readonly type: "text"; readonly text: string })[];
  } | null;
  readonly web_search_options?: {
    readonly search_context_size?: "low" | "medium" | "high" | null;
    readonly user_location?: { readonly [name: string]: unknown } | null;
  } | null;
  readonly transforms?: readonly ("middle-out")[] | null;
  readonly functions?: unknown;
  readonly function_call?: unknown;
  readonly prompt?: unknown;
};

export type ChatContent = string | readonly ({
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" } | null;
} | {
  readonly type: "image_url";
  readonly image_url: { readonly url: string; readonly detail?: "auto" | "low" | "high" | "original" | null };
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" } | null;
} | {
  readonly type: "input_audio";
  readonly input_audio: { readonly data: string; readonly format: "mp3" | "wav" };
} | { readonly type: "video_url"; readonly video_url: { readonly url: string } } | {
  readonly type: "file";
  readonly file: { readonly file_data?: string | null; readonly file_id?: string | null; readonly filename?: string | null };
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" } | null;
})[];

export type ChatCompletion = {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly provider?: string;
  readonly system_fingerprint: null;
  readonly service_tier: string | null;
  readonly choices: readonly ({
    readonly index: number;
    readonly message: {
      readonly role: "assistant";
      readonly content: string | null;
      readonly refusal: string | null;
      readonly tool_calls?: readonly ({
        readonly index: number;
        readonly id: string;
        readonly type: "function";
        readonly function: { readonly name: string; readonly arguments: string };
        readonly extra_content?: { readonly [name: string]: unknown };
      })[];
      readonly reasoning?: string;
      readonly reasoning_details?: readonly ReasoningDetail[];
      readonly annotations?: readonly ({ readonly [name: string]: unknown })[];
      readonly images?: readonly ({ readonly type: "image_url"; readonly image_url: { readonly url: string } })[];
      readonly audio?: {
        readonly id?: string;
        readonly data?: string;
        readonly transcript?: string;
        readonly expires_at?: number;
      };
    };
    readonly logprobs: { readonly content: readonly TokenLogprob[]; readonly refusal: null } | null;
    readonly finish_reason: "stop" | "tool_calls" | "length" | "content_filter" | "error";
    readonly native_finish_reason?: string;
    readonly error?: ChatError;
  })[];
  readonly usage: ChatUsage;
  readonly service_metadata?: ServiceMetadata;
};

export type ReasoningDetail = {
  readonly type: "reasoning.text" | "reasoning.summary" | "reasoning.encrypted" | "reasoning.server_tool_call";
  readonly index: number;
  readonly id?: string;
  readonly format?: string;
  readonly text?: string;
  readonly summary?: string;
  readonly data?: string;
  readonly signature?: string;
};
export type ChatError = { readonly code: number; readonly message: string; readonly metadata: { readonly error_type: ErrorType } };

export type ChatUsage = {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly [name: string]: number };
  readonly completion_tokens_details?: { readonly [name: string]: number };
  readonly cost?: number;
  readonly is_byok: boolean;
  readonly cost_details?: { readonly [name: string]: number | null };
  readonly server_tool_use_details?: { readonly [name: string]: number };
};

export type ChatChunk = {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  readonly provider?: string;
  readonly choices: readonly ({
    readonly index: number;
    readonly delta: {
      readonly role?: "assistant";
      readonly content?: string;
      readonly refusal?: string;
      readonly tool_calls?: readonly ({
        readonly index: number;
        readonly id?: string;
        readonly type?: "function";
        readonly function: { readonly name?: string; readonly arguments: string };
        readonly extra_content?: { readonly [name: string]: unknown };
      })[];
      readonly reasoning?: string;
      readonly reasoning_details?: readonly ReasoningDetail[];
      readonly annotations?: readonly ({ readonly [name: string]: unknown })[];
      readonly images?: readonly ({ readonly type: "image_url"; readonly image_url: { readonly url: string } })[];
      readonly audio?: {
        readonly id?: string;
        readonly data?: string;
        readonly transcript?: string;
        readonly expires_at?: number;
      };
    };
    readonly logprobs?: { readonly content: readonly TokenLogprob[]; readonly refusal: null } | null;
    readonly finish_reason: "stop" | "tool_calls" | "length" | "content_filter" | "error" | null;
    readonly native_finish_reason?: string;
  })[];
  readonly usage?: ChatUsage;
  readonly service_tier?: string;
  readonly error?: ChatError;
  readonly debug?: { readonly echo_upstream_body?: unknown };
  readonly service_metadata?: ServiceMetadata;
};

export type EmbeddingsRequest = {
  readonly input?: string | readonly number[] | readonly (string | readonly number[] | { readonly content: readonly ({ readonly [name: string]: unknown })[] })[] | null;
  readonly model?: string | null;
  readonly dimensions?: number | null;
  readonly encoding_format?: "float" | "base64" | null;
  readonly input_type?: string | null;
  readonly provider?: ProviderPreferences | null;
  readonly user?: string | null;
  readonly session_id?: string | null;
  readonly stream?: boolean | null;
};

export type Embeddings = {
  readonly object: "list";
  readonly id: string;
  readonly model: string;
  readonly data: readonly ({ readonly object: "embedding"; readonly index: number; readonly embedding: unknown })[];
  readonly usage: {
    readonly prompt_tokens: number;
    readonly total_tokens: number;
    readonly cost?: number;
    readonly cost_details?: { readonly [name: string]: number | null };
    readonly is_byok: boolean;
  };
  readonly service_metadata?: ServiceMetadata;
};

export type KeyInformation = {
  readonly data: {
    readonly label: string;
    readonly limit: number | null;
    readonly limit_reset: string | null;
    readonly limit_remaining: number | null;
    readonly include_byok_in_limit: boolean;
    readonly usage: number;
    readonly usage_daily: number;
    readonly usage_weekly: number;
    readonly usage_monthly: number;
    readonly byok_usage: number;
    readonly byok_usage_daily: number;
    readonly byok_usage_weekly: number;
    readonly byok_usage_monthly: number;
    readonly is_free_tier: boolean;
    readonly is_management_key: boolean;
    readonly is_provisioning_key: boolean;
    /** What a management key is in its account; absent for an inference key */
    readonly role?: "owner" | "admin" | "editor" | "viewer" | "billing";
    readonly creator_user_id: string | null;
    readonly organization_id: string | null;
    readonly workspace_id: string | null;
    readonly expires_at?: string | null;
    /** When the secret in use is refused, because another one was made for the key */
    readonly secret_ends_at?: string;
    readonly allowed_data_regions: readonly string[];
    readonly free_model_daily_requests: { readonly used: number; readonly limit: number; readonly remaining: number };
    readonly budgets: readonly KeyBudget[];
    readonly effective_budget: KeyBudget | null;
    /** Whether what is said with it may be kept */
    readonly content_logging: boolean;
    readonly rates: { readonly requests_per_minute: number | null; readonly tokens_per_minute: number | null } | null;
    readonly parallel: number | null;
    readonly rate_limit: { readonly requests: number; readonly interval: string; readonly note: string };
  };
};

export type KeyBudget = {
  readonly scope: "workspace_default_member" | "workspace_default_key" | "member" | "api_key" | "workspace" | "key_limit";
  readonly budget_id: string | null;
  readonly guardrail_id: string | null;
  readonly limit_usd: number;
  readonly spend_usd: number;
  readonly remaining_usd: number;
  readonly include_byok: boolean;
  readonly reset_interval: string | null;
  readonly resets_at: string | null;
};

export type MessagesRequest = {
  readonly model: string;
  readonly messages: readonly ({
    readonly role: "user" | "assistant" | "system";
    readonly content: string | readonly ({ readonly [name: string]: unknown })[];
  })[];
  readonly max_tokens?: number | null;
  readonly system?: string | readonly ({
    readonly type: "text";
    readonly text: string;
    readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  })[] | null;
  readonly stream?: boolean | null;
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" | null } | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly top_k?: number | null;
  readonly stop_sequences?: readonly string[] | null;
  readonly thinking?: {
    readonly type: "enabled" | "disabled" | "adaptive";
    readonly budget_tokens?: number | null;
    readonly display?: "summarized" | "omitted" | null;
  } | null;
  readonly output_config?: {
    readonly effort?: "low" | "medium" | "high" | "xhigh" | "max" | null;
    readonly format?: { readonly type: "json_schema"; readonly schema: { readonly [name: string]: unknown } } | null;
    readonly task_budget?: { readonly [name: string]: unknown } | null;
  } | null;
  readonly output_format?: { readonly type: "json_schema"; readonly schema: { readonly [name: string]: unknown } } | null;
  readonly tools?: readonly ({ readonly [name: string]: unknown })[] | null;
  readonly tool_choice?: {
    readonly type: "auto" | "any" | "none" | "tool";
    readonly name?: string | null;
    readonly disable_parallel_tool_use?: boolean | null;
  } | null;
  readonly context_management?: { readonly [name: string]: unknown } | null;
  readonly fallbacks?: unknown;
  readonly models?: readonly string[] | null;
  readonly provider?: ProviderPreferences | null;
  readonly plugins?: Plugins | null;
  readonly route?: unknown;
  readonly session_id?: string | null;
  readonly trace?: { readonly [name: string]: unknown } | null;
  readonly stop_server_tools_when?: StopConditions | null;
  readonly metadata?: { readonly user_id?: string | null } | null;
  readonly user?: string | null;
  readonly service_tier?: "auto" | "standard_only" | "default" | "fast" | "flex" | "priority" | "scale" | null;
  readonly speed?: "fast" | "standard" | null;
  readonly mcp_servers?: readonly unknown[] | null;
  readonly thread?: unknown;
};

export type Message = {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly container: { readonly [name: string]: unknown } | null;
  readonly content: readonly ({ readonly [name: string]: unknown })[];
  readonly model: string;
  readonly stop_reason: "end_turn" | "stop_sequence" | "tool_use" | "max_tokens" | "model_context_window_exceeded" | "refusal" | "pause_turn" | "compaction" | null;
  readonly stop_details: { readonly [name: string]: unknown } | null;
  readonly stop_sequence: string | null;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly output_tokens_details: { readonly [name: string]: unknown } | null;
    readonly cache_creation_input_tokens: number | null;
    readonly cache_read_input_tokens: number | null;
    readonly cache_creation: { readonly [name: string]: unknown } | null;
    readonly inference_geo: string | null;
    readonly server_tool_use: { readonly [name: string]: unknown } | null;
    readonly service_tier: string | null;
    readonly cost?: number;
    readonly is_byok?: boolean;
    readonly cost_details?: { readonly [name: string]: unknown };
  };
  readonly context_management?: { readonly [name: string]: unknown } | null;
  readonly service_metadata?: ServiceMetadata;
};

export type MessageEvent = {
  readonly type: "message_start";
  readonly message: {
    readonly id: string;
    readonly type: "message";
    readonly role: "assistant";
    readonly container: { readonly [name: string]: unknown } | null;
    readonly content: readonly ({ readonly [name: string]: unknown })[];
    readonly model: string;
    readonly stop_reason: "end_turn" | "stop_sequence" | "tool_use" | "max_tokens" | "model_context_window_exceeded" | "refusal" | "pause_turn" | "compaction" | null;
    readonly stop_details: { readonly [name: string]: unknown } | null;
    readonly stop_sequence: string | null;
    readonly usage: {
      readonly input_tokens: number;
      readonly output_tokens: number;
      readonly output_tokens_details: { readonly [name: string]: unknown } | null;
      readonly cache_creation_input_tokens: number | null;
      readonly cache_read_input_tokens: number | null;
      readonly cache_creation: { readonly [name: string]: unknown } | null;
      readonly inference_geo: string | null;
      readonly server_tool_use: { readonly [name: string]: unknown } | null;
      readonly service_tier: string | null;
      readonly cost?: number;
      readonly is_byok?: boolean;
      readonly cost_details?: { readonly [name: string]: unknown };
    };
    readonly context_management?: { readonly [name: string]: unknown } | null;
  };
} | { readonly type: "ping" } | {
  readonly type: "content_block_start";
  readonly index: number;
  readonly content_block: { readonly [name: string]: unknown };
} | {
  readonly type: "content_block_delta";
  readonly index: number;
  readonly delta: { readonly [name: string]: unknown };
} | { readonly type: "content_block_stop"; readonly index: number } | {
  readonly type: "message_delta";
  readonly delta: {
    readonly container: { readonly [name: string]: unknown } | null;
    readonly stop_reason: "end_turn" | "stop_sequence" | "tool_use" | "max_tokens" | "model_context_window_exceeded" | "refusal" | "pause_turn" | "compaction" | null;
    readonly stop_details: { readonly [name: string]: unknown } | null;
    readonly stop_sequence: string | null;
  };
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly output_tokens_details: { readonly [name: string]: unknown } | null;
    readonly cache_creation_input_tokens: number | null;
    readonly cache_read_input_tokens: number | null;
    readonly cache_creation: { readonly [name: string]: unknown } | null;
    readonly inference_geo: string | null;
    readonly server_tool_use: { readonly [name: string]: unknown } | null;
    readonly service_tier: string | null;
    readonly cost?: number;
    readonly is_byok?: boolean;
    readonly cost_details?: { readonly [name: string]: unknown };
  };
} | { readonly type: "message_stop"; readonly service_metadata?: ServiceMetadata } | { readonly type: "error"; readonly error: { readonly [name: string]: unknown } };
export type TokenCount = { readonly input_tokens: number };

export type ModelList = {
  readonly object: "list";
  readonly data: readonly Model[];
  readonly total_count: number;
  readonly links: { readonly next: string | null };
};

export type Model = {
  readonly id: string;
  readonly object: "model";
  readonly owned_by: string;
  readonly canonical_slug: string;
  readonly name: string;
  readonly description: string;
  readonly created: number;
  readonly context_length: number | null;
  readonly architecture: Architecture;
  readonly pricing: Pricing;
  readonly top_provider: {
    readonly context_length: number | null;
    readonly max_completion_tokens: number | null;
    readonly is_moderated: boolean;
  };
  readonly per_request_limits: null;
  readonly supported_parameters: readonly string[];
  readonly default_parameters: { readonly [name: string]: unknown } | null;
  readonly supported_voices: readonly unknown[] | null;
  readonly knowledge_cutoff: string | null;
  readonly expiration_date: string | null;
  readonly hugging_face_id: string | null;
  readonly reasoning?: {
    readonly mandatory: boolean;
    readonly default_enabled?: boolean;
    readonly default_effort?: string;
    readonly supported_efforts: readonly unknown[] | null;
    readonly supports_max_tokens?: boolean;
  };
  readonly benchmarks?: {
    readonly artificial_analysis?: {
      readonly intelligence_index: number | null;
      readonly coding_index: number | null;
      readonly agentic_index: number | null;
    };
    readonly design_arena: readonly ({ readonly [name: string]: unknown })[];
  };
  readonly alias_target?: { readonly slug: string; readonly name: string };
  readonly links: { readonly details: string };
};

export type Architecture = {
  readonly modality: string;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly tokenizer: string;
  readonly instruct_type: string | null;
};

export type Pricing = {
  readonly prompt: string;
  readonly completion: string;
  readonly request?: string;
  readonly image?: string;
  readonly image_token?: string;
  readonly image_output?: string;
  readonly image_output_token?: string;
  readonly web_search?: string;
  readonly internal_reasoning?: string;
  readonly input_cache_read?: string;
  readonly input_cache_write?: string;
  readonly input_cache_write_1h?: string;
  readonly audio?: string;
  readonly input_audio_cache?: string;
  readonly audio_output?: string;
  readonly discount?: number;
  readonly overrides?: readonly ({
    readonly min_prompt_tokens?: number;
    readonly utc_start?: number;
    readonly utc_end?: number;
    readonly prompt?: string;
    readonly completion?: string;
    readonly request?: string;
    readonly image?: string;
    readonly image_token?: string;
    readonly image_output?: string;
    readonly image_output_token?: string;
    readonly web_search?: string;
    readonly internal_reasoning?: string;
    readonly input_cache_read?: string;
    readonly input_cache_write?: string;
    readonly input_cache_write_1h?: string;
    readonly audio?: string;
    readonly input_audio_cache?: string;
    readonly audio_output?: string;
  })[];
};
export type ModelCount = { readonly data: { readonly count: number } };

export type ModelEndpoints = {
  readonly data: {
    readonly id: string;
    readonly name: string;
    readonly created: number;
    readonly description: string;
    readonly architecture: Architecture;
    readonly endpoints: readonly Endpoint[];
  };
};

export type Endpoint = {
  readonly name: string;
  readonly model_id: string;
  readonly model_name: string;
  readonly provider_name: string;
  readonly tag: string;
  readonly context_length: number;
  readonly max_completion_tokens: number | null;
  readonly max_prompt_tokens: number | null;
  readonly quantization: string | null;
  readonly pricing: Pricing;
  readonly supported_parameters: readonly string[];
  readonly supports_tool_choice: { readonly none: boolean; readonly auto: boolean; readonly required: boolean; readonly function: boolean };
  readonly supports_implicit_caching: boolean;
  readonly supports_voice_cloning: boolean;
  readonly supports_diarization: boolean;
  /** Tools of the gateway that the provider runs itself with `engine: native`, each with the tool that asks for that */
  readonly native_tools: { readonly [name: string]: { readonly type: string } };
  readonly service_tier: string | null;
  readonly status: number;
  readonly uptime_last_5m: number | null;
  readonly uptime_last_30m: number | null;
  readonly uptime_last_1d: number | null;
  readonly latency_last_30m: { readonly p50: number; readonly p75: number; readonly p90: number; readonly p99: number } | null;
  readonly throughput_last_30m: { readonly p50: number; readonly p75: number; readonly p90: number; readonly p99: number } | null;
};

export type ModelAnswer = {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
  readonly data: Model;
};
export type EndpointList = { readonly data: readonly Endpoint[] };

export type ProviderList = {
  readonly data: readonly ({
    readonly name: string;
    readonly slug: string;
    readonly privacy_policy_url: string | null;
    readonly terms_of_service_url: string | null;
    readonly status_page_url: string | null;
    readonly headquarters: string | null;
    readonly datacenters: readonly unknown[] | null;
  })[];
};

export type ProviderConnectionList = {
  readonly data: readonly ({
    readonly slug: string;
    readonly adapter: string;
    readonly base_host: string | null;
    /** How many credentials of the operator there are */
    readonly credentials: number;
    readonly can_be_checked: boolean;
  })[];
};

export type ProviderCheck = {
  readonly data: {
    readonly provider: string;
    /** False where it was asked and gave no list */
    readonly ok: boolean;
    /** Whether it was asked: not every dialect has a list */
    readonly checked: boolean;
    /** What came of it, in words */
    readonly detail: string;
    readonly credential: "accepted" | "refused" | null;
    /** How many models it lists */
    readonly listed: number | null;
    readonly unlisted: readonly ({
      readonly model: string;
      /** What the catalogue calls it at the provider */
      readonly upstream_model: string;
    })[];
  };
};

export type EndpointHealthList = {
  readonly as_of: string;
  readonly data: readonly ({
    readonly model_id: string;
    readonly model_name: string;
    readonly provider: string;
    readonly provider_name: string;
    readonly tag: string;
    readonly state: "normal" | "degraded" | "down" | "rate_limited" | "deprecated";
    /** Null while it is normal */
    readonly since: string | null;
    /** When the wait after a 429 is over */
    readonly until: string | null;
    /** Null without an answer within a day */
    readonly last_success_at: string | null;
    readonly attempts_30m: number;
    readonly failures_30m: number;
    /** What attempts came to besides answers; null for others than operators */
    readonly outcomes_30m: readonly ({ readonly outcome: string; readonly count: number })[] | null;
    /** Answers that the percentiles of its latency rest on */
    readonly latency_samples_30m: number;
    /** Answers that the percentiles of its throughput rest on */
    readonly throughput_samples_30m: number;
    /** True where nothing is known */
    readonly retains_prompts: boolean;
    /** True where nothing is known */
    readonly trains_on_prompts: boolean;
    readonly publishes_prompts: boolean;
  })[];
};
export type KeyList = { readonly data: readonly Key[]; readonly total_count?: number };

export type Key = {
  readonly hash: string;
  /** By which lists of keys of a workspace name it */
  readonly number: number;
  readonly name: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly limit: number | null;
  readonly limit_remaining: number | null;
  readonly limit_reset: string | null;
  readonly include_byok_in_limit: boolean;
  readonly usage: number;
  readonly usage_daily: number;
  readonly usage_weekly: number;
  readonly usage_monthly: number;
  readonly byok_usage: number;
  readonly byok_usage_daily: number;
  readonly byok_usage_weekly: number;
  readonly byok_usage_monthly: number;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly last_used_at: string | null;
  readonly expires_at?: string | null;
  readonly creator_user_id: string | null;
  readonly external_user: string | null;
  readonly workspace_id: string;
  readonly rotated_at: string | null;
  readonly previous_secret_ends_at: string | null;
  readonly allowed_ips: readonly string[] | null;
  readonly allowed_models: readonly string[] | null;
  /** Whether what is said with it may be kept where its workspace wants that */
  readonly content_logging: "inherit" | "off";
  readonly rates: { readonly requests_per_minute: number | null; readonly tokens_per_minute: number | null } | null;
  readonly parallel: number | null;
};

export type CreateKey = {
  readonly name: string;
  readonly limit?: number | null;
  readonly limit_reset?: "daily" | "weekly" | "monthly" | null;
  readonly include_byok_in_limit?: boolean | null;
  readonly expires_at?: string | null;
  readonly workspace_id?: string | null;
  readonly creator_user_id?: string | null;
  readonly external?: { readonly user: string; readonly api_key?: string | null } | null;
  readonly allowed_ips?: readonly string[] | null;
  readonly allowed_models?: readonly string[] | null;
  /** Whether what is said with it may be kept where its workspace wants that */
  readonly content_logging?: "inherit" | "off";
  readonly rates?: { readonly requests_per_minute?: number | null; readonly tokens_per_minute?: number | null } | null;
  readonly parallel?: number | null;
};
export type CreatedKey = { readonly data: Key; readonly key: string };
export type KeyAnswer = { readonly data: Key };

export type KeyRules = {
  readonly data: {
    readonly limits: readonly SpendingLimit[];
    readonly guardrails: readonly AppliedGuardrail[];
    readonly rates: readonly ({
      readonly scope: "key" | "account" | "service";
      readonly requests_per_minute: number | null;
      readonly tokens_per_minute: number | null;
      readonly parallel: number | null;
    })[];
    readonly workspace: {
      readonly id: string;
      readonly name: string;
      readonly default_text_model: string | null;
      readonly default_provider_sort: string | null;
      readonly disabled_server_tools: readonly string[];
      readonly plugins: readonly ({ readonly id: string; readonly enforced: boolean })[];
    } | null;
    readonly account: {
      readonly zero_retention: boolean;
      readonly plugins: readonly ({ readonly id: string; readonly enforced: boolean })[];
    };
  };
};

export type SpendingLimit = {
  readonly scope: "key" | "workspace_default_member" | "workspace_default_key" | "member" | "api_key" | "workspace";
  /** The hash of a key, or the id of a workspace or a member */
  readonly subject: string;
  readonly name: string;
  readonly reset_interval: "daily" | "weekly" | "monthly" | null;
  /** nano-USD, exact */
  readonly limit_nano: string;
  /** nano-USD, exact */
  readonly spent_nano: string;
  /** Whether what own credentials serve counts, at its list price */
  readonly include_byok: boolean;
  readonly resets_at: string | null;
};

export type AppliedGuardrail = {
  readonly id: string;
  readonly name: string;
  readonly scope: "account" | "workspace" | "member" | "api-key";
  readonly mode: "enforce" | "observe";
  readonly source: "file" | "stored";
  readonly allowed_models: readonly string[] | null;
  readonly ignored_models: readonly string[] | null;
  readonly allowed_providers: readonly string[] | null;
  readonly ignored_providers: readonly string[] | null;
  readonly zero_retention: readonly string[];
  readonly forbidden_practices: readonly string[];
  readonly filters: readonly ({ readonly name: string; readonly action: "flag" | "redact" | "block" })[];
};

export type UpdateKey = {
  readonly name?: string;
  readonly disabled?: boolean;
  readonly limit?: number | null;
  readonly limit_reset?: "daily" | "weekly" | "monthly" | null;
  readonly include_byok_in_limit?: boolean;
  readonly allowed_ips?: readonly string[] | null;
  readonly allowed_models?: readonly string[] | null;
  /** Whether what is said with it may be kept where its workspace wants that */
  readonly content_logging?: "inherit" | "off";
  readonly rates?: { readonly requests_per_minute?: number | null; readonly tokens_per_minute?: number | null } | null;
  readonly parallel?: number | null;
};

export type RotateKey = {
  /** How long earlier secrets work on, at most 168h */
  readonly grace?: string;
};

export type RotatedKey = {
  readonly data: Key;
  readonly key: string;
  readonly replaces: { readonly label: string; readonly ends_at: string };
};
export type Deleted = { readonly deleted: boolean };
export type ProviderCredentialList = { readonly data: readonly ProviderCredential[]; readonly total_count?: number };

export type ProviderCredential = {
  readonly id: string;
  readonly workspace_id: string | null;
  readonly provider: string;
  readonly name: string | null;
  /** A part of the secret; empty for a role that may only read credentials */
  readonly label: string;
  readonly disabled: boolean;
  readonly is_byok_only: boolean;
  readonly is_fallback: boolean;
  readonly is_required: boolean;
  readonly declared_zdr: boolean | null;
  readonly declared_region: string | null;
  readonly allowed_models: readonly string[] | null;
  readonly allowed_api_key_hashes: readonly string[] | null;
  readonly allowed_user_ids: readonly string[] | null;
  readonly sort_order: number;
  readonly created_at: string;
};

export type CreateProviderCredential = {
  readonly provider: string;
  readonly key: string;
  readonly workspace_id?: string;
  readonly name?: string | null;
  readonly disabled?: boolean;
  readonly is_byok_only?: boolean;
  readonly is_fallback?: boolean;
  readonly is_required?: boolean;
  readonly declared_zdr?: boolean | null;
  readonly allowed_api_key_hashes?: readonly string[] | null;
  readonly allowed_models?: readonly string[] | null;
  readonly allowed_user_ids?: readonly string[] | null;
};
export type ProviderCredentialAnswer = { readonly data: ProviderCredential };

export type ProviderCredentialTerms = {
  readonly data: {
    /** The part of the list cost that is charged beyond the allowance */
    readonly fee_rate: number;
    /** nano-USD, exact */
    readonly monthly_allowance_nano: string;
  };
};

export type UpdateProviderCredential = {
  readonly key?: string;
  readonly sort_order?: number;
  readonly name?: string | null;
  readonly disabled?: boolean;
  readonly is_byok_only?: boolean;
  readonly is_fallback?: boolean;
  readonly is_required?: boolean;
  readonly declared_zdr?: boolean | null;
  readonly allowed_api_key_hashes?: readonly string[] | null;
  readonly allowed_models?: readonly string[] | null;
  readonly allowed_user_ids?: readonly string[] | null;
  readonly provider?: string;
  readonly workspace_id?: string;
};

export type TestProviderCredential = {
  /** The id of a model; by default the cheapest the credential is for */
  readonly model?: string;
  /** The inference key to run as; by default the newest that may use it */
  readonly key_hash?: string;
};

export type ProviderCredentialVerdict = {
  readonly data: {
    /** Whether the provider answered */
    readonly ok: boolean;
    readonly latency_ms: number;
    readonly error: {
      /** The row of the error table */
      readonly row: string;
      readonly type: string;
      readonly message: string;
      readonly provider_code: string | null;
    } | null;
    /** nano-USD, exact */
    readonly cost_nano: string;
    /** nano-USD, exact */
    readonly byok_cost_nano: string | null;
    readonly model: string;
    readonly key_hash: string;
    /** The record of the call */
    readonly generation_id: string;
  };
};

export type DestinationType = {
  readonly type: string;
  readonly fields: readonly ({
    readonly name: string;
    readonly required: boolean;
    /** Whether it reads back masked */
    readonly secret: boolean;
    readonly default: string | null;
    readonly choices: readonly string[] | null;
  })[];
};
export type DestinationList = { readonly data: readonly Destination[]; readonly total_count?: number };

export type Destination = {
  readonly id: string;
  readonly workspace_id: string;
  readonly type: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Whether what was said stays here */
  readonly privacy_mode: boolean;
  /** Whether amounts are sent */
  readonly broadcast_generation_cost: boolean;
  /** Whether the user and the key are sent */
  readonly broadcast_generation_identity: boolean;
  /** Whether referer, title, origin and user agent are sent */
  readonly broadcast_generation_request_context: boolean;
  /** The part of sessions that is sent; a session is sent whole */
  readonly sampling_rate: number;
  readonly api_key_hashes: readonly string[] | null;
  readonly filter_rules: DestinationFilterRules | null;
  readonly config: { readonly [name: string]: unknown };
  readonly created_at: string;
  readonly updated_at: string;
  readonly state: DestinationState | null;
};

export type DestinationFilterRules = {
  /** Whether the rules count; true by default */
  readonly enabled?: boolean;
  /** All groups have to be passed */
  readonly groups: readonly ({
    readonly logic?: "and" | "or";
    readonly rules: readonly ({
      /** Such as model, session_id or total_cost */
      readonly field: string;
      /** Such as equals, contains, regex or gt */
      readonly operator: string;
      readonly value?: string | number;
    })[];
  })[];
};

export type DestinationState = {
  readonly state: "ok" | "failing" | "paused";
  /** What it answered last */
  readonly status: number | null;
  readonly reason: string | null;
  readonly succeeded_at: string | null;
  readonly at: string;
};

export type CreateDestination = {
  readonly type: string;
  readonly name: string;
  readonly config: { readonly [name: string]: unknown };
  readonly workspace_id?: string;
  readonly enabled?: boolean;
  /** Whether what was said stays here */
  readonly privacy_mode?: boolean;
  /** Whether amounts are sent */
  readonly broadcast_generation_cost?: boolean;
  /** Whether the user and the key are sent */
  readonly broadcast_generation_identity?: boolean;
  /** Whether referer, title, origin and user agent are sent */
  readonly broadcast_generation_request_context?: boolean;
  /** The part of sessions that is sent; a session is sent whole */
  readonly sampling_rate?: number;
  readonly api_key_hashes?: readonly string[] | null;
  readonly filter_rules?: DestinationFilterRules | null;
};
export type DestinationAnswer = { readonly data: Destination };

export type UpdateDestination = {
  readonly name?: string;
  readonly config?: { readonly [name: string]: unknown };
  readonly enabled?: boolean;
  /** Whether what was said stays here */
  readonly privacy_mode?: boolean;
  /** Whether amounts are sent */
  readonly broadcast_generation_cost?: boolean;
  /** Whether the user and the key are sent */
  readonly broadcast_generation_identity?: boolean;
  /** Whether referer, title, origin and user agent are sent */
  readonly broadcast_generation_request_context?: boolean;
  /** The part of sessions that is sent; a session is sent whole */
  readonly sampling_rate?: number;
  readonly api_key_hashes?: readonly string[] | null;
  readonly filter_rules?: DestinationFilterRules | null;
};

export type GenerationContent = {
  readonly data: {
    readonly input: { readonly messages: readonly ({ readonly [name: string]: unknown })[] };
    readonly output: { readonly completion: string | null; readonly reasoning: string | null };
    readonly error: {
      readonly status: number | null;
      readonly message: string | null;
      readonly provider_name: string | null;
      readonly raw: string | null;
      readonly previous_errors: readonly ({
        readonly code: number;
        readonly message: string;
        readonly provider_name: string | null;
        readonly raw: string | null;
      })[];
    } | null;
    readonly conversation: GenerationConversation;
  };
};

export type GenerationConversation = {
  readonly system: readonly ({ readonly [name: string]: unknown })[];
  readonly messages: readonly ({ readonly [name: string]: unknown })[];
  readonly tools: readonly ({ readonly [name: string]: unknown })[];
  readonly output: { readonly [name: string]: unknown } | null;
  readonly truncated: boolean;
  readonly characters_left_out: number;
};

export type SessionList = {
  readonly data: readonly Session[];
  readonly searched_to: string;
  /** Whether these are all of the range; otherwise ask for a shorter one */
  readonly complete: boolean;
};

export type Session = {
  readonly id: string;
  readonly calls: number;
  readonly failed: number;
  /** When the first of them began */
  readonly from: string;
  /** When the last of them ended */
  readonly to: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** nano-USD, exact */
  readonly cost_nano: string;
  /** A user that its requests named */
  readonly user: string | null;
};

export type SessionAnswer = {
  readonly data: {
    readonly id: string;
    readonly calls: number;
    readonly failed: number;
    /** When the first of them began */
    readonly from: string;
    /** When the last of them ended */
    readonly to: string;
    readonly input_tokens: number;
    readonly output_tokens: number;
    /** nano-USD, exact */
    readonly cost_nano: string;
    /** In their order */
    readonly requests: readonly ({
      readonly id: string;
      /** Its turns, in their order */
      readonly calls: readonly Call[];
      /** What plugins, guardrails, routers and tools did in them */
      readonly steps: readonly ({ readonly [name: string]: unknown })[];
    })[];
  };
  /** The cursor of the part before, which is older */
  readonly next: string | null;
  readonly searched_to: string;
  /** Whether the range was searched to its end */
  readonly complete: boolean;
};

export type Call = {
  readonly id: string;
  readonly request_id: string;
  readonly created_at: string;
  readonly settled_at: string;
  readonly outcome: "ok" | "failed" | "cancelled" | "refused";
  readonly error_type: string | null;
  /** Of the last attempt */
  readonly status: number | null;
  readonly requested_model: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly provider_name: string | null;
  readonly endpoint: string | null;
  readonly attempts: number;
  readonly key_hash: string;
  readonly key_label: string;
  readonly workspace_id: string | null;
  /** The router that chose the model */
  readonly router: string | null;
  /** The slug of the preset that the request named */
  readonly preset: string | null;
  readonly session_id: string | null;
  readonly user: string | null;
  readonly rating: "bad" | "neither" | "good" | null;
  readonly streamed: boolean;
  readonly own_credential: boolean;
  readonly input_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly output_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly first_token_ms: number | null;
  readonly total_ms: number;
  readonly unpriced: boolean;
  readonly estimated: boolean;
  /** nano-USD, exact */
  readonly cost_nano: string;
  /** nano-USD, exact */
  readonly list_cost_nano: string;
};

export type GiveFeedback = {
  /** The call, or name it generation_id */
  readonly id?: string;
  readonly generation_id?: string;
  /** -1, 0 or 1 */
  readonly rating?: number;
  /** In place of rating */
  readonly score?: number;
  readonly category?: "latency" | "incoherence" | "incorrect_response" | "formatting" | "billing" | "api_error" | "other";
  readonly comment?: string;
  readonly tags?: readonly string[];
};
export type FeedbackTaken = { readonly data: { readonly success: boolean } };
export type FeedbackList = { readonly data: readonly Feedback[] };

export type Feedback = {
  readonly key_hash: string;
  readonly at: string;
  readonly rating: number | null;
  readonly score: number | null;
  readonly verdict: "bad" | "neither" | "good" | null;
  readonly category: string | null;
  /** Null too once it is no longer kept */
  readonly comment: string | null;
  readonly tags: readonly string[];
};

export type FeedbackSums = {
  readonly data: readonly ({
    readonly value: string;
    readonly good: number;
    readonly neither: number;
    readonly bad: number;
    /** All, those that only name a category too */
    readonly total: number;
  })[];
};
export type WorkspaceList = { readonly data: readonly Workspace[]; readonly total_count?: number };

export type Workspace = {
  readonly id: string;
  readonly default_guardrail_id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly default_text_model: string | null;
  readonly default_image_model: string | null;
  readonly default_provider_sort: string | null;
  readonly disabled_server_tools?: readonly string[] | null;
  /** By the id of a plugin; config has the members that an entry of plugins has besides id, enabled: false included */
  readonly plugin_defaults?: { readonly [name: string]: {
    readonly config?: { readonly [name: string]: unknown };
    /** Whether requests cannot change it; false where left out */
    readonly enforced?: boolean;
  } };
  readonly is_observability_io_logging_enabled: boolean;
  readonly is_observability_broadcast_enabled: boolean;
  readonly is_data_discount_logging_enabled: boolean;
  readonly io_logging_sampling_rate: number;
  readonly io_logging_api_key_ids: readonly number[] | null;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly created_by: string | null;
};

export type CreateWorkspace = {
  readonly name: string;
  readonly slug: string;
  readonly description?: string | null;
  readonly default_text_model?: string | null;
  readonly default_image_model?: string | null;
  readonly default_provider_sort?: "price" | "throughput" | "latency" | "exacto" | null;
  readonly disabled_server_tools?: readonly string[] | null;
  /** By the id of a plugin; config has the members that an entry of plugins has besides id, enabled: false included */
  readonly plugin_defaults?: { readonly [name: string]: {
    readonly config?: { readonly [name: string]: unknown };
    /** Whether requests cannot change it; false where left out */
    readonly enforced?: boolean;
  } } | null;
  readonly is_observability_io_logging_enabled?: boolean;
  readonly is_observability_broadcast_enabled?: boolean;
  readonly is_data_discount_logging_enabled?: boolean;
  readonly io_logging_sampling_rate?: number;
  readonly io_logging_api_key_ids?: readonly number[] | null;
};
export type WorkspaceAnswer = { readonly data: Workspace };

export type UpdateWorkspace = {
  readonly name?: string;
  readonly slug?: string;
  readonly description?: string | null;
  readonly default_text_model?: string | null;
  readonly default_image_model?: string | null;
  readonly default_provider_sort?: "price" | "throughput" | "latency" | "exacto" | null;
  readonly disabled_server_tools?: readonly string[] | null;
  /** By the id of a plugin; config has the members that an entry of plugins has besides id, enabled: false included */
  readonly plugin_defaults?: { readonly [name: string]: {
    readonly config?: { readonly [name: string]: unknown };
    /** Whether requests cannot change it; false where left out */
    readonly enforced?: boolean;
  } } | null;
  readonly is_observability_io_logging_enabled?: boolean;
  readonly is_observability_broadcast_enabled?: boolean;
  readonly is_data_discount_logging_enabled?: boolean;
  readonly io_logging_sampling_rate?: number;
  readonly io_logging_api_key_ids?: readonly number[] | null;
};
export type LimitList = { readonly data: readonly SpendingLimit[] };
export type WorkspaceBudgetList = { readonly data: readonly WorkspaceBudget[]; readonly include_byok_in_budgets: boolean };

export type WorkspaceBudget = {
  readonly id: string;
  readonly workspace_id: string;
  readonly limit_usd: number;
  readonly reset_interval: "daily" | "weekly" | "monthly" | null;
  readonly created_at: string;
  readonly updated_at: string;
};
export type WorkspaceBudgetAnswer = { readonly data: WorkspaceBudget; readonly include_byok_in_budgets: boolean };
export type PutWorkspaceBudget = { readonly limit_usd: number; readonly include_byok_in_budgets?: boolean };
export type MemberList = { readonly data: readonly Member[]; readonly total_count?: number };

export type Member = {
  readonly id: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly role: "org:admin" | "org:member";
};
export type WorkspaceMemberList = { readonly data: readonly WorkspaceMember[]; readonly total_count?: number };

export type WorkspaceMember = {
  readonly id: string;
  readonly workspace_id: string;
  readonly user_id: string;
  readonly role: "admin" | "member";
  readonly created_at: string;
};
export type MemberIds = { readonly user_ids: readonly string[] };
export type AddedMembers = { readonly data: readonly WorkspaceMember[]; readonly added_count: number };
export type RemovedMembers = { readonly removed_count: number };
export type GuardrailList = { readonly data: readonly Guardrail[]; readonly total_count?: number };

export type Guardrail = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly workspace_id: string | null;
  readonly limit_usd: number | null;
  readonly reset_interval: "daily" | "weekly" | "monthly" | null;
  readonly include_byok_in_budgets: boolean;
  readonly mode: "enforce" | "observe";
  readonly allowed_models: readonly string[] | null;
  readonly ignored_models: readonly string[] | null;
  readonly allowed_providers: readonly string[] | null;
  readonly ignored_providers: readonly string[] | null;
  readonly enforce_zdr: boolean | null;
  readonly enforce_zdr_anthropic: boolean | null;
  readonly enforce_zdr_openai: boolean | null;
  readonly enforce_zdr_google: boolean | null;
  readonly enforce_zdr_xai: boolean | null;
  readonly enforce_zdr_other: boolean | null;
  readonly enable_free_model_publication: boolean | null;
  readonly enable_free_model_training: boolean | null;
  readonly enable_paid_model_training: boolean | null;
  readonly content_filters: readonly ({
    /** A regular expression in the JavaScript flavour, without look-around, back-references and nested repetitions */
    readonly pattern: string;
    /** What happens to what it matches */
    readonly action: "block" | "redact" | "flag";
    /** Named in refusals, and written in place of redacted text */
    readonly label?: string;
  })[] | null;
  readonly content_filter_builtins: readonly ({
    /** Which detector */
    readonly slug: "email" | "phone" | "ssn" | "credit-card" | "ip-address" | "person-name" | "address" | "regex-prompt-injection";
    /** What happens to what it finds */
    readonly action: "block" | "redact" | "flag";
    /** Of regex-prompt-injection: which texts it reads; all_messages where left out */
    readonly scan_scope?: "all_messages" | "user_only";
    readonly label: string;
  })[] | null;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly source?: "file";
};

export type CreateGuardrail = {
  readonly name: string;
  readonly workspace_id?: string;
  readonly description?: string | null;
  readonly limit_usd?: number | null;
  readonly reset_interval?: "daily" | "weekly" | "monthly" | null;
  readonly include_byok_in_budgets?: boolean;
  /** Deprecated: for all groups of models that have no member of their own here */
  readonly enforce_zdr?: boolean | null;
  /** observe reports what the guardrail would have done; enforce where left out */
  readonly mode?: "enforce" | "observe" | null;
  /** The only models, by slug */
  readonly allowed_models?: readonly string[] | null;
  /** Models that are not used, by slug */
  readonly ignored_models?: readonly string[] | null;
  /** The only providers, by slug */
  readonly allowed_providers?: readonly string[] | null;
  /** Providers that are not used, by slug */
  readonly ignored_providers?: readonly string[] | null;
  /** false: no free endpoint that publishes prompts */
  readonly enable_free_model_publication?: boolean | null;
  /** false: no free endpoint that trains on prompts */
  readonly enable_free_model_training?: boolean | null;
  /** false: no paid endpoint that trains on prompts */
  readonly enable_paid_model_training?: boolean | null;
  /** true: requests for models of Anthropic go only where nothing is retained */
  readonly enforce_zdr_anthropic?: boolean | null;
  /** true: requests for models of OpenAI go only where nothing is retained */
  readonly enforce_zdr_openai?: boolean | null;
  /** true: requests for models of Google go only where nothing is retained */
  readonly enforce_zdr_google?: boolean | null;
  /** true: requests for models of xAI go only where nothing is retained */
  readonly enforce_zdr_xai?: boolean | null;
  /** true: requests for all other models go only where nothing is retained */
  readonly enforce_zdr_other?: boolean | null;
  readonly content_filters?: readonly ({
    /** A regular expression in the JavaScript flavour, without look-around, back-references and nested repetitions */
    readonly pattern: string;
    /** What happens to what it matches */
    readonly action: "block" | "redact" | "flag";
    readonly label?: string | null;
  })[] | null;
  readonly content_filter_builtins?: readonly ({
    /** Which detector */
    readonly slug: "email" | "phone" | "ssn" | "credit-card" | "ip-address" | "person-name" | "address" | "regex-prompt-injection";
    /** What happens to what it finds */
    readonly action: "block" | "redact" | "flag";
    /** Of regex-prompt-injection: which texts it reads; all_messages where left out */
    readonly scan_scope?: "all_messages" | "user_only";
    readonly label?: string | null;
  })[] | null;
};
export type GuardrailAnswer = { readonly data: Guardrail };

export type UpdateGuardrail = {
  readonly name?: string;
  readonly description?: string | null;
  readonly limit_usd?: number | null;
  readonly reset_interval?: "daily" | "weekly" | "monthly" | null;
  readonly include_byok_in_budgets?: boolean;
  /** Deprecated: for all groups of models that have no member of their own here */
  readonly enforce_zdr?: boolean | null;
  /** observe reports what the guardrail would have done; enforce where left out */
  readonly mode?: "enforce" | "observe" | null;
  /** The only models, by slug */
  readonly allowed_models?: readonly string[] | null;
  /** Models that are not used, by slug */
  readonly ignored_models?: readonly string[] | null;
  /** The only providers, by slug */
  readonly allowed_providers?: readonly string[] | null;
  /** Providers that are not used, by slug */
  readonly ignored_providers?: readonly string[] | null;
  /** false: no free endpoint that publishes prompts */
  readonly enable_free_model_publication?: boolean | null;
  /** false: no free endpoint that trains on prompts */
  readonly enable_free_model_training?: boolean | null;
  /** false: no paid endpoint that trains on prompts */
  readonly enable_paid_model_training?: boolean | null;
  /** true: requests for models of Anthropic go only where nothing is retained */
  readonly enforce_zdr_anthropic?: boolean | null;
  /** true: requests for models of OpenAI go only where nothing is retained */
  readonly enforce_zdr_openai?: boolean | null;
  /** true: requests for models of Google go only where nothing is retained */
  readonly enforce_zdr_google?: boolean | null;
  /** true: requests for models of xAI go only where nothing is retained */
  readonly enforce_zdr_xai?: boolean | null;
  /** true: requests for all other models go only where nothing is retained */
  readonly enforce_zdr_other?: boolean | null;
  readonly content_filters?: readonly ({
    /** A regular expression in the JavaScript flavour, without look-around, back-references and nested repetitions */
    readonly pattern: string;
    /** What happens to what it matches */
    readonly action: "block" | "redact" | "flag";
    readonly label?: string | null;
  })[] | null;
  readonly content_filter_builtins?: readonly ({
    /** Which detector */
    readonly slug: "email" | "phone" | "ssn" | "credit-card" | "ip-address" | "person-name" | "address" | "regex-prompt-injection";
    /** What happens to what it finds */
    readonly action: "block" | "redact" | "flag";
    /** Of regex-prompt-injection: which texts it reads; all_messages where left out */
    readonly scan_scope?: "all_messages" | "user_only";
    readonly label?: string | null;
  })[] | null;
};

export type ReportFalsePositive = {
  /** As the pipeline entry has it */
  readonly guardrail_id: string;
  /** A name of matched_entity_types, or the slug of a built-in filter */
  readonly filter: string;
};
export type FalsePositiveReport = { readonly data: ReportedDetection };
export type ReportedDetection = { readonly guardrail_id: string; readonly filter: string };
export type FalsePositiveList = { readonly data: readonly FalsePositives[]; readonly total_count?: number };

export type FalsePositives = {
  readonly guardrail_id: string;
  readonly filter: string;
  readonly reports: number;
  readonly last_reported_on: string;
};
export type KeyAssignmentList = { readonly data: readonly KeyAssignment[]; readonly total_count?: number };

export type KeyAssignment = {
  readonly id: string;
  readonly guardrail_id: string;
  readonly assigned_by: string | null;
  readonly created_at: string;
  readonly key_hash: string;
  readonly key_name: string;
  readonly key_label: string;
};
export type KeysOfGuardrail = { readonly key_hashes: readonly string[] };
export type AssignedCount = { readonly assigned_count: number };
export type UnassignedCount = { readonly unassigned_count: number };
export type MemberAssignmentList = { readonly data: readonly MemberAssignment[]; readonly total_count?: number };

export type MemberAssignment = {
  readonly id: string;
  readonly guardrail_id: string;
  readonly assigned_by: string | null;
  readonly created_at: string;
  readonly user_id: string;
  readonly organization_id: string;
};
export type MembersOfGuardrail = { readonly member_user_ids: readonly string[] };
export type AllowedPhraseList = { readonly data: readonly AllowedPhrase[]; readonly total_count?: number };

export type AllowedPhrase = {
  readonly id: string;
  readonly phrase: string;
  readonly created_at: string;
  readonly created_by: string | null;
};
export type AllowPhrase = { readonly phrase: string };
export type AllowedPhraseAnswer = { readonly data: AllowedPhrase };

export type TestGuardrail = {
  readonly text: string;
  readonly guardrail_id?: string;
  readonly draft?: GuardrailDraft;
  readonly key_hash?: string;
  readonly scope?: "user" | "system";
};

export type GuardrailDraft = {
  readonly limit_usd?: number | null;
  readonly reset_interval?: "daily" | "weekly" | "monthly" | null;
  readonly include_byok_in_budgets?: boolean;
  /** Deprecated: for all groups of models that have no member of their own here */
  readonly enforce_zdr?: boolean | null;
  /** observe reports what the guardrail would have done; enforce where left out */
  readonly mode?: "enforce" | "observe" | null;
  /** The only models, by slug */
  readonly allowed_models?: readonly string[] | null;
  /** Models that are not used, by slug */
  readonly ignored_models?: readonly string[] | null;
  /** The only providers, by slug */
  readonly allowed_providers?: readonly string[] | null;
  /** Providers that are not used, by slug */
  readonly ignored_providers?: readonly string[] | null;
  /** false: no free endpoint that publishes prompts */
  readonly enable_free_model_publication?: boolean | null;
  /** false: no free endpoint that trains on prompts */
  readonly enable_free_model_training?: boolean | null;
  /** false: no paid endpoint that trains on prompts */
  readonly enable_paid_model_training?: boolean | null;
  /** true: requests for models of Anthropic go only where nothing is retained */
  readonly enforce_zdr_anthropic?: boolean | null;
  /** true: requests for models of OpenAI go only where nothing is retained */
  readonly enforce_zdr_openai?: boolean | null;
  /** true: requests for models of Google go only where nothing is retained */
  readonly enforce_zdr_google?: boolean | null;
  /** true: requests for models of xAI go only where nothing is retained */
  readonly enforce_zdr_xai?: boolean | null;
  /** true: requests for all other models go only where nothing is retained */
  readonly enforce_zdr_other?: boolean | null;
  readonly content_filters?: readonly ({
    /** A regular expression in the JavaScript flavour, without look-around, back-references and nested repetitions */
    readonly pattern: string;
    /** What happens to what it matches */
    readonly action: "block" | "redact" | "flag";
    readonly label?: string | null;
  })[] | null;
  readonly content_filter_builtins?: readonly ({
    /** Which detector */
    readonly slug: "email" | "phone" | "ssn" | "credit-card" | "ip-address" | "person-name" | "address" | "regex-prompt-injection";
    /** What happens to what it finds */
    readonly action: "block" | "redact" | "flag";
    /** Of regex-prompt-injection: which texts it reads; all_messages where left out */
    readonly scan_scope?: "all_messages" | "user_only";
    readonly label?: string | null;
  })[] | null;
};

export type GuardrailVerdict = {
  readonly data: {
    readonly verdict: "pass" | "flag" | "redact" | "block";
    readonly text: string | null;
    readonly message: string | null;
    readonly patterns: readonly string[];
    readonly pipeline: readonly ({ readonly [name: string]: unknown })[];
  };
};

export type AccountPluginDefaults = {
  readonly data: {
    readonly account_id: string;
    /** By the id of a plugin; config has the members that an entry of plugins has besides id, enabled: false included */
    readonly plugin_defaults: { readonly [name: string]: {
      readonly config?: { readonly [name: string]: unknown };
      /** Whether requests cannot change it; false where left out */
      readonly enforced?: boolean;
    } };
    /** Those of the configuration, which hold for every account */
    readonly installation: { readonly [name: string]: {
      readonly config?: { readonly [name: string]: unknown };
      /** Whether requests cannot change it; false where left out */
      readonly enforced?: boolean;
    } };
    readonly missing_backends: readonly ({
      readonly plugin: string;
      /** What the configuration lacks for all that the plugin can do */
      readonly setting: string;
    })[];
  };
};

export type SetPluginDefaults = {
  /** By the id of a plugin; config has the members that an entry of plugins has besides id, enabled: false included */
  readonly plugin_defaults: { readonly [name: string]: {
    readonly config?: { readonly [name: string]: unknown };
    /** Whether requests cannot change it; false where left out */
    readonly enforced?: boolean;
  } };
  /** Another account; only for operators */
  readonly account_id?: string;
};
export type PresetList = { readonly data: readonly Preset[]; readonly total_count?: number };

export type Preset = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly status: "active" | "disabled" | "archived";
  readonly status_updated_at: string | null;
  readonly designated_version_id: string | null;
  readonly creator_user_id: string | null;
  readonly workspace_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
};
export type PresetAnswer = { readonly data: PresetWithVersion };

export type PresetWithVersion = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly status: "active" | "disabled" | "archived";
  readonly status_updated_at: string | null;
  readonly designated_version_id: string | null;
  readonly creator_user_id: string | null;
  readonly workspace_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly designated_version: PresetVersion;
};

export type PresetVersion = {
  readonly id: string;
  readonly preset_id: string;
  readonly creator_id: string;
  readonly version: number;
  readonly system_prompt: string | null;
  readonly config: { readonly [name: string]: unknown };
  readonly created_at: string;
  readonly updated_at: string;
};
export type PresetVersionList = { readonly data: readonly PresetVersion[]; readonly total_count?: number };
export type PresetVersionAnswer = { readonly data: PresetVersion };

export type UpdatePreset = {
  readonly name?: string;
  readonly description?: string | null;
  readonly status?: "active" | "disabled" | "archived";
  /** The id of one of its versions: requests get that one from now on */
  readonly designated_version_id?: string;
};

export type FileForm = {
  /** The file, with a filename */
  readonly file: string;
};

export type File = {
  readonly _shape: "service";
  /** What requests name the file by */
  readonly id: string;
  readonly type: "file";
  readonly filename: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly created_at: string;
  readonly downloadable: boolean;
  readonly object: "file";
  readonly bytes: number;
  readonly purpose: "user_data";
  readonly status: "processed";
};

export type FileList = {
  readonly _shape: "service";
  readonly object: "list";
  readonly data: readonly File[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly cursor: string | null;
};

export type DeletedFile = {
  readonly _shape: "service";
  readonly id: string;
  readonly type: "file_deleted";
  readonly object: "file";
  readonly deleted: boolean;
};
export type Credits = { readonly data: { readonly total_credits: number; readonly total_usage: number } };

export type Activity = {
  readonly data: readonly ({
    readonly date: string;
    readonly model: string;
    readonly model_permaslug: string;
    readonly endpoint_id: string;
    readonly provider_name: string;
    readonly usage: number;
    readonly byok_usage_inference: number;
    readonly requests: number;
    readonly prompt_tokens: number;
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    readonly reasoning_tokens: number;
    readonly workspace_id?: string | null;
  })[];
};
export type Generation = { readonly data: GenerationRecord };

export type GenerationRecord = {
  readonly id: string;
  readonly request_id: string;
  readonly upstream_id: string | null;
  readonly session_id?: string;
  readonly response_cache_source_id?: string;
  readonly workspace_id: string | null;
  readonly app_id: number | null;
  readonly preset_id: string | null;
  readonly external_user: string | null;
  readonly origin: string;
  readonly http_referer: string | null;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly model: string;
  readonly router: string | null;
  readonly provider_name: string | null;
  readonly api_type: string;
  readonly service_tier: string | null;
  readonly data_region: string;
  readonly is_byok: boolean;
  readonly web_search_engine: string | null;
  readonly streamed: boolean;
  readonly cancelled: boolean;
  readonly finish_reason: string | null;
  readonly native_finish_reason: string | null;
  readonly latency: number | null;
  readonly moderation_latency: number | null;
  readonly generation_time: number | null;
  readonly tokens_prompt: number | null;
  readonly tokens_completion: number | null;
  readonly native_tokens_prompt: number | null;
  readonly native_tokens_completion: number | null;
  readonly native_tokens_reasoning: number | null;
  readonly native_tokens_cached: number | null;
  readonly native_tokens_completion_images: number | null;
  readonly num_media_prompt: number | null;
  readonly num_media_completion: number | null;
  readonly num_input_audio_prompt: number | null;
  readonly num_search_results: number | null;
  readonly num_fetches: number | null;
  readonly unpriced?: true;
  readonly total_cost: number;
  readonly usage: number;
  readonly cache_discount: number | null;
  readonly upstream_inference_cost: number | null;
  readonly pipeline?: readonly ({ readonly [name: string]: unknown })[];
  readonly provider_responses: readonly ({
    readonly status: number;
    readonly endpoint_id: string;
    readonly provider_name: string;
    readonly model_permaslug: string;
    readonly is_byok: boolean;
    readonly latency: number;
    readonly error_code?: string;
    readonly id?: string;
    readonly routed_service_tier?: string;
  })[];
  readonly total?: {
    readonly generations: number;
    readonly tokens_prompt: number | null;
    readonly tokens_completion: number | null;
    readonly native_tokens_reasoning: number | null;
    readonly native_tokens_cached: number | null;
    readonly total_cost: number;
    readonly usage: number;
    readonly pipeline?: readonly ({ readonly [name: string]: unknown })[];
  };
};

export type UsageSeries = {
  readonly data: {
    readonly from: string;
    readonly to: string;
    readonly bucket: string;
    readonly tz: string;
    readonly as_of: string;
    readonly last_is_partial: boolean;
    readonly starts: readonly string[];
    readonly total: UsageGroup;
    readonly groups: readonly UsageGroup[];
    /** Groups that the one without a value stands for */
    readonly others: number;
    readonly times: {
      readonly total: {
        /** Calls in the sample */
        readonly n: number;
        readonly first_token_ms: { readonly p50: number; readonly p95: number } | null;
        readonly total_ms: { readonly p50: number; readonly p95: number } | null;
        readonly tokens_per_second: { readonly p50: number; readonly p95: number } | null;
      };
      readonly series: readonly ({
        /** Calls in the sample */
        readonly n: number;
        readonly first_token_ms: { readonly p50: number; readonly p95: number } | null;
        readonly total_ms: { readonly p50: number; readonly p95: number } | null;
        readonly tokens_per_second: { readonly p50: number; readonly p95: number } | null;
      })[];
      /** How many total times of the sample lie in which class; null unless `times=classes` asks */
      readonly classes: {
        /** Where each class begins, ascending, and where the last one ends */
        readonly bounds_ms: readonly number[];
        /** For each step, one count a class */
        readonly counts: readonly (readonly number[])[];
      } | null;
    } | null;
    /** Answers given from the cache; null where a filter is about calls alone */
    readonly cached_answers: {
      readonly total: {
        readonly hits: number;
        /** nano-USD, exact */
        readonly saved_nano: string;
      };
      readonly series: readonly ({
        readonly hits: number;
        /** nano-USD, exact */
        readonly saved_nano: string;
      })[];
    } | null;
    readonly previous: { readonly from: string; readonly to: string; readonly totals: UsageTotals } | null;
  };
};

export type UsageGroup = {
  /** Null for all other groups together */
  readonly value: string | null;
  readonly label: string;
  readonly totals: UsageTotals;
  readonly series: readonly UsageTotals[];
};

export type UsageTotals = {
  readonly requests: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly fallbacks: number;
  readonly streamed: number;
  readonly own_credential: number;
  readonly unpriced: number;
  readonly estimated: number;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  /** nano-USD, exact */
  readonly cost_nano: string;
  /** nano-USD, exact */
  readonly list_cost_nano: string;
  /** nano-USD, exact */
  readonly byok_cost_nano: string;
};

export type UsageValues = {
  readonly data: readonly ({
    readonly value: string;
    readonly label: string;
    readonly requests: number;
    /** nano-USD, exact */
    readonly cost_nano: string;
  })[];
};

export type LastUses = {
  readonly data: readonly ({
    /** Its hash */
    readonly key: string;
    /** A quarter of an hour since yesterday in UTC, before that a UTC day */
    readonly from: string;
    readonly to: string;
  })[];
  readonly since: string;
};

export type CallList = {
  readonly data: readonly Call[];
  /** The cursor of the next part */
  readonly next: string | null;
  readonly searched_to: string;
  /** Whether the range was searched to its end */
  readonly complete: boolean;
};

export type CallDetail = {
  readonly data: {
    readonly row: Call;
    readonly record: GenerationRecord;
    readonly attempts: readonly ({
      readonly provider: string;
      readonly provider_name: string;
      readonly model: string;
      readonly endpoint: string;
      readonly status: number;
      readonly own_credential: boolean;
      readonly latency_ms: number;
      /** The row of the error table */
      readonly error: string | null;
      readonly error_text: string | null;
      /** The provider's own */
      readonly error_code: string | null;
    })[];
    readonly cost: {
      readonly lines: readonly ({
        readonly item: string;
        readonly count: number;
        /** pico-USD for one */
        readonly unit_price_pico: string;
        /** pico-USD, exact */
        readonly amount_pico: string;
      })[] | null;
      /** nano-USD, exact */
      readonly list_cost_nano: string;
      /** nano-USD, exact */
      readonly charged_nano: string;
      /** nano-USD, exact */
      readonly cache_discount_nano: string | null;
      readonly insured: boolean;
    };
    readonly related: readonly Call[];
    readonly error_text: string | null;
    readonly replay: { readonly [name: string]: unknown } | null;
    readonly plan: {
      readonly targets: readonly ({
        readonly model: string;
        readonly provider: string;
        readonly provider_name: string;
        readonly endpoint: string;
        readonly tier: string;
        readonly credential: "own" | "shared" | "own_fallback";
        /** USD for a token */
        readonly prompt: string | null;
        /** USD for a token */
        readonly completion: string | null;
        /** Null where it was not kept */
        readonly because: "only" | "sticky" | "drawn" | "speed_wanted" | "model" | "credential" | "order" | "service_tier" | "own_endpoint" | "health" | "tool_calls" | "speed" | "price" | "name" | null;
      })[];
      readonly excluded: readonly ({
        readonly model: string;
        readonly provider: string;
        readonly provider_name: string;
        readonly endpoint: string;
        readonly reason: string;
      })[];
      /** Endpoints that are not listed */
      readonly further: number;
    } | null;
  };
};
export type AuditList = { readonly data: readonly AuditEntry[]; readonly next: string | null };

export type AuditEntry = {
  readonly id: string;
  readonly account_id: string | null;
  readonly seq: number;
  readonly at: string;
  readonly actor: {
    readonly type: "management_key" | "inference_key" | "workload" | "command" | "system" | "anonymous";
    readonly key_hash: string | null;
    readonly key_label: string | null;
    readonly user_id: string | null;
    readonly address: string | null;
  };
  readonly action: string;
  readonly object: { readonly type: string; readonly id: string | null; readonly workspace_id: string | null };
  readonly outcome: "ok" | "refused";
  readonly reason: string | null;
  readonly before: { readonly [name: string]: unknown } | null;
  readonly after: { readonly [name: string]: unknown } | null;
  readonly request_id: string | null;
  readonly previous: string;
  readonly hash: string;
};

export type LedgerPage = {
  readonly data: readonly LedgerEntry[];
  readonly next: string | null;
  readonly account: { readonly id: string; readonly name: string; readonly billing_mode: string };
  readonly balance: {
    /** nano-USD, exact */
    readonly balance_nano: string;
    /** nano-USD, exact */
    readonly purchased_nano: string;
    /** nano-USD, exact */
    readonly spent_nano: string;
  };
};

export type LedgerEntry = {
  readonly id: string;
  readonly account_id: string;
  readonly type: "purchase" | "grant" | "refund" | "expiry" | "transfer" | "adjustment";
  /** nano-USD, exact */
  readonly amount_nano: string;
  /** nano-USD, exact */
  readonly fee_nano: string;
  readonly counts_as_purchase: boolean;
  readonly expires_at: string | null;
  readonly external_ref: string | null;
  readonly related_id: string | null;
  readonly note: string | null;
  readonly created_by: string | null;
  readonly created_at: string;
};

export type BookCredits = {
  readonly type: "grant" | "purchase" | "refund";
  /** nano-USD: "5000000000" is 5 USD */
  readonly amount_nano: string;
  /** Your reference: a second call with it and the same content changes nothing */
  readonly ref: string;
  /** By default the account of the key */
  readonly account_id?: string;
  readonly expires_at?: string | null;
  readonly note?: string | null;
};

export type BookedCredits = {
  readonly data: {
    readonly account_id: string;
    /** False for a reference that was booked before */
    readonly booked: boolean;
    readonly balance: {
      /** nano-USD, exact */
      readonly balance_nano: string;
      /** nano-USD, exact */
      readonly purchased_nano: string;
      /** nano-USD, exact */
      readonly spent_nano: string;
    };
  };
};
export type JobAnswer = { readonly data: Job };

export type Job = {
  readonly id: string;
  readonly kind: "ledger.verify";
  readonly state: "running" | "done" | "failed" | "lost";
  /** Steps that are done */
  readonly done: number;
  readonly steps: number;
  readonly result: {
    readonly differences: readonly ({
      readonly subject: string;
      /** nano-USD, exact */
      readonly kept_nano: string;
      /** nano-USD, exact */
      readonly recomputed_nano: string;
    })[];
    readonly count: number;
  } | null;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
};
export type LatestJob = { readonly data: Job | null };

export type Holds = {
  readonly data: {
    /** nano-USD, exact */
    readonly in_flight_nano: string;
    readonly running: number;
    /** nano-USD, exact */
    readonly running_nano: string | null;
    /** nano-USD, exact */
    readonly settling_nano: string | null;
    /** nano-USD, exact */
    readonly budget_nano: string | null;
    readonly as_of: string;
    readonly holds: readonly Hold[];
  };
};

export type Hold = {
  readonly request_id: string;
  /** nano-USD, exact */
  readonly amount_nano: string;
  /** Milliseconds until it lapses unless its process renews it */
  readonly lease_ms: number;
  readonly key_hash: string | null;
  readonly model: string | null;
  readonly streamed: boolean | null;
  readonly began_at: string | null;
};
export type AccountList = { readonly data: readonly Account[]; readonly next: string | null };

export type Account = {
  readonly id: string;
  readonly name: string;
  readonly kind: "personal" | "organization";
  readonly billing_mode: "prepaid" | "invoice" | "subscription" | "enterprise";
  readonly disabled: boolean;
  /** nano-USD, exact */
  readonly balance_nano: string;
  /** nano-USD, exact */
  readonly spent_nano: string;
  readonly created_at: string;
};

export type RouterList = {
  readonly data: readonly ({
    readonly id: string;
    readonly name: string;
    readonly description: string;
    /** Models of the catalogue that it chooses among */
    readonly candidates: readonly string[];
    /** Of the last seven UTC days, today included */
    readonly generations: number;
    /** nano-USD, exact */
    readonly cost_nano: string;
    /** Answers for which more than one endpoint was asked */
    readonly fallbacks: number;
    /** All seven, the oldest first; empty where it was not used */
    readonly days: readonly ({
      /** A UTC day */
      readonly day: string;
      readonly generations: number;
      readonly fallbacks: number;
      readonly models: readonly ({
        readonly name: string;
        readonly generations: number;
        /** nano-USD, exact */
        readonly cost_nano: string;
      })[];
    })[];
    /** What it chose, the most frequent first */
    readonly models: readonly ({
      readonly name: string;
      readonly generations: number;
      /** nano-USD, exact */
      readonly cost_nano: string;
    })[];
    /** For which tasks; an empty name where none was recognised */
    readonly tasks: readonly ({
      readonly name: string;
      readonly generations: number;
      /** nano-USD, exact */
      readonly cost_nano: string;
    })[];
  })[];
};

export type LiveSnapshot = {
  readonly as_of: string;
  readonly running: number;
  readonly streams: number;
  /** Ended well within the last minute, while somebody watched */
  readonly done: number;
  readonly failed: number;
  readonly rows: readonly LiveRequest[];
};

export type LiveRequest = {
  readonly id: string;
  /** Its host and process id */
  readonly process: string;
  readonly account_id: string;
  readonly key_hash: string;
  readonly workspace_id: string | null;
  readonly requested_model: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly attempt: number;
  readonly phase: "admitted" | "waiting" | "streaming" | "tool" | "settling" | "ended";
  readonly streamed: boolean;
  readonly began_at: string;
  readonly first_token_ms: number | null;
  /** As estimated until the provider says */
  readonly output_tokens: number;
  /** nano-USD, exact */
  readonly ceiling_nano: string | null;
  readonly outcome: "ok" | "failed" | "cancelled" | "refused" | "unknown" | null;
  /** nano-USD, exact */
  readonly cost_nano: string | null;
  readonly ended_at: string | null;
};
export type CancelledRequest = { readonly data: { readonly id: string } };
export type ProcessList = { readonly as_of: string; readonly data: readonly Process[] };

export type Process = {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly started_at: string;
  readonly seen_at: string;
  /** Whether it answered this call */
  readonly is_own: boolean;
  /** Whether it reports nothing any more */
  readonly is_lost: boolean;
  readonly figures: {
    readonly node: string;
    readonly state: "starting" | "ready" | "draining" | "memory" | "event_loop";
    /** The states of database, journal and shared_state */
    readonly dependencies: { readonly [name: string]: string };
    /** Requests */
    readonly running: number;
    /** Those of them whose answer is a stream */
    readonly streams: number;
    /** Durable on the disk of the process, not in the database yet */
    readonly waiting_charges: number;
    /** How long its last report took to be stored */
    readonly database_ms: number | null;
    readonly resident_bytes: number;
    readonly heap_used_bytes: number;
    readonly heap_limit_bytes: number;
    /** Of one processor core, over the last seconds */
    readonly cpu: number;
    /** Share of the last seconds in which the main thread had work */
    readonly event_loop_busy: number;
    /** How late 99 of 100 timers were at most, to the bound of a bucket */
    readonly event_loop_delay_ms: number | null;
  } | null;
};
export type RiskList = { readonly data: readonly Risk[] };

export type Risk = {
  readonly level: "problem" | "warning" | "note";
  readonly about: "processes" | "configuration" | "models" | "providers" | "alerts";
  readonly text: string;
};

export type AlertList = {
  /** Whether alerts are raised at all (alerts.webhook) */
  readonly enabled: boolean;
  readonly data: readonly Alert[];
};

export type Alert = {
  readonly id: string;
  readonly type: string;
  readonly raised_at: string;
  readonly state: "delivered" | "waiting" | "repeating" | "given_up";
  readonly attempts: number;
  readonly delivered_at: string | null;
  readonly data: { readonly [name: string]: unknown };
};

export type Configuration = {
  readonly data: {
    readonly file: string | null;
    readonly loaded_at: string;
    /** Why the file as it is now is not in use */
    readonly refused: { readonly at: string; readonly reasons: readonly string[] } | null;
    /** Sections that were changed in the file and wait for a restart */
    readonly needs_restart: readonly string[];
    readonly values: readonly ({
      /** As in the file, with dots */
      readonly key: string;
      /** As text, or as JSON; what is secret is masked */
      readonly value: string;
      /** File and line, variable or option; null for a default and what follows from others */
      readonly source: string | null;
    })[];
  };
};

export type SearchResults = {
  readonly data: readonly ({
    readonly kind: "generation" | "session" | "key" | "model" | "provider" | "workspace" | "credential" | "preset" | "guardrail";
    readonly id: string;
    /** Of a preset, whose id is unique only there */
    readonly workspace_id: string | null;
    readonly name: string;
    /** What it belongs to */
    readonly detail: string | null;
  })[];
};
export type Liveness = { readonly status: "ok" };

export type Readiness = {
  readonly status: "ok" | "degraded" | "unavailable";
  readonly draining: boolean;
  readonly overload?: "memory" | "event_loop";
  readonly dependencies: {
    readonly database: "ok" | "unreachable";
    readonly journal: "ok" | "no_room" | "unwritable";
    readonly shared_state: "ok" | "unreachable" | "local";
  };
  readonly disk?: DiskUse;
};

export type DiskUse = {
  /** Of the database */
  readonly database_bytes: number;
  /** Of the contents of files, in the database or beside it */
  readonly files_bytes: number;
  /** Of charges that wait beside the database, and the room for them */
  readonly spool_bytes?: number;
  /** Free on the disk of the database or, where that is elsewhere, of the spool */
  readonly free_bytes?: number;
};
