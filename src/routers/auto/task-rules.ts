import type { TaskTag } from '../../core/task-tags.ts';

/** A sign of a task: what the text says, and how much that counts for the tag. */
export interface TaskRule {
  readonly tag: TaskTag;
  readonly weight: number;
  readonly sign: RegExp;
}

const languages =
  'english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|chinese|mandarin|japanese|korean|arabic|turkish|hindi|swedish|norwegian|danish|finnish|greek|czech|hungarian|romanian|latin|hebrew|vietnamese|thai|indonesian|deutsch|französisch|englisch|español|français|italiano';
const programming =
  'python|javascript|typescript|java|kotlin|swift|rust|golang|go|c\\+\\+|c#|ruby|php|scala|haskell|elixir|perl|lua|bash|powershell|react|node|django|flask|spring|numpy|pandas';

/**
 * The signs, in no order that matters: the weights of a tag add up, and the heaviest tag wins. No expression looks back or
 * repeats a repetition, so each is linear in the text.
 */
export const taskRules: readonly TaskRule[] = [
  rule(
    'code:debugging',
    4,
    'traceback|stack ?trace|segfault|segmentation fault|null ?pointer|undefined is not|core dumped',
  ),
  rule(
    'code:debugging',
    3,
    'debug|bug|bugs|crash(es|ed|ing)?|exception|typeerror|keyerror|valueerror|syntaxerror|panic',
  ),
  rule(
    'code:debugging',
    2,
    "doesn'?t work|does not work|not working|why (does|is|do) .{0,40}(fail|error|throw|return|crash)|error|fails?|throws|broken|fix",
  ),
  rule(
    'code:refactoring',
    4,
    'refactor(ing|ed)?|clean ?up this (code|function|class)|simplify this (code|function|class)|more (readable|idiomatic|maintainable)',
  ),
  rule(
    'code:refactoring',
    2,
    'rename|extract (a )?(method|function)|duplicat(e|ed|ion)|restructure|modernize|port (this|it)|split (this|it|the)|tidy',
  ),
  rule(
    'code:review',
    4,
    'code review|review (this|my|the) (code|pull request|pr|diff|patch|commit|change|function|implementation|class|module|script)|pull request',
  ),
  rule(
    'code:review',
    2,
    'review|diff|feedback on my (code|implementation)|security (issues|holes)|any problems with this|thread.?safe|spot (any )?(issues|problems)',
  ),
  rule(
    'code:explanation',
    4,
    'explain (this|the|what this|how this) .{0,30}(code|function|snippet|regex|script|query|line|class|program|loop|macro|decorator)|what does (this|the following) .{0,30}(code|function|snippet|regex|script|do|line|class|program|macro|command)',
  ),
  rule('code:explanation', 2, 'walk me through|line by line|how does this .{0,30}work'),
  rule(
    'code:testing',
    4,
    'unit tests?|integration tests?|test cases?|pytest|jest|vitest|junit|mock(s|ing)?|test suite|e2e tests?|property.based tests?|write tests?|tests for|coverage',
  ),
  rule(
    'code:sql',
    4,
    'sql|postgres(ql)?|mysql|sqlite|select .{1,60} from|left join|inner join|group by|window function|bigquery|snowflake',
  ),
  rule('code:sql', 2, 'query|table|database|schema|index(es)?|join|orders table|column'),
  rule(
    'code:devops',
    4,
    'docker(file)?|kubernetes|k8s|helm|terraform|ansible|ci/cd|github actions?|gitlab ci|jenkins|nginx|systemd|prometheus|aws|gcp|ec2|kubectl|cron ?job|load balancer|argocd|cloudformation',
  ),
  rule(
    'code:devops',
    2,
    'deploy(ment)?|pipeline|container|cluster|server|ssh|tls|certificate|pod|vpc|bucket|yaml',
  ),
  rule(
    'code:frontend',
    4,
    'css|html|tailwind|flexbox|react component|jsx|svelte|vue|landing page layout|responsive|navbar|dom|web page|webpage',
  ),
  rule(
    'code:frontend',
    2,
    'react|component|button|modal|dark mode|dropdown|grid|animation|hover|angular|form|sidebar',
  ),
  rule(
    'code:generation',
    3,
    `(write|create|implement|build|make|give me|generate|code|need) (me )?(a|an|the|some)? ?.{0,40}(function|script|class|program|code|api|endpoint|regex|cli|method|parser|module|library|bot|scraper|app|struct|decorator|hook|middleware)`,
  ),
  rule('code:generation', 2, `(${programming})|implement|algorithm|function|regex|code`),
  rule(
    'agent:multi_step_planning',
    4,
    'break (this|it|down) .{0,30}(steps|tasks)|step.by.step plan|project plan|roadmap|action plan|milestones|plan (out|the|a|my|our)|make a plan|migration plan|rollout|timeline',
  ),
  rule(
    'agent:multi_step_planning',
    2,
    'steps|phases|schedule|dependencies|prioriti[sz]e|first .{1,80} then|itinerary|sprint',
  ),
  rule(
    'math',
    4,
    'solve|equation|integral|derivative|prove that|theorem|matrix|eigenvalues?|probability|polynomial|calculus|algebra|geometry|factori[sz]e|modulo|prime numbers?|limit of|quadratic|logarithm|permutations?|combinatorics|how many ways|trigonometr(y|ic)',
  ),
  rule('math', 3, '[0-9]+ ?[-+*/^=] ?[0-9a-z(]|\\\\frac|\\\\int|\\\\sum|[0-9]+% of|square root|percent'),
  rule(
    'math',
    2,
    'calculate|compute|triangle|circle|sum of|average|divided|divisible|remainder|radius|angle',
  ),
  rule(
    'data_analysis',
    4,
    'dataset|csv|regression|correlation|data ?frame|a/b test|statistical(ly)?|p.value|standard deviation|outliers?|time series|cohort|histogram|clustering|churn|analy[sz]e (this|the|these|our|my) .{0,30}(data|numbers|figures|results|sales|survey|metrics|log)',
  ),
  rule(
    'data_analysis',
    2,
    'trend|data|metrics|spreadsheet|excel|pivot|chart|survey|kpi|sales figures|forecast|seasonal',
  ),
  rule(
    'science',
    4,
    'quantum|photosynthesis|molecule|chemical|chemistry|physics|biology|dna|rna|protein|enzyme|thermodynamics?|relativity|black holes?|evolution|mitochondria|neuron|isotope|entropy|crispr|electron|gravity|galax(y|ies)|ph of|reaction|plate tectonics|genetic',
  ),
  rule(
    'science',
    2,
    'cells?|atom|energy|experiment|planets?|species|climate|scientific|hypothesis|star|wave|ocean',
  ),
  rule(
    'research_report',
    4,
    'research report|literature review|in.depth (report|analysis)|comprehensive (report|overview|analysis|review)|white ?paper|market (research|analysis)|competitive analysis|state of the art|with (sources|citations|references)|survey of|write a report|cite',
  ),
  rule(
    'research_report',
    2,
    'report|research|compare .{1,60}(across|in terms)|landscape|sources|evidence|findings|studies|detailed',
  ),
  rule(
    'summarization',
    5,
    'summari[sz]e|summary|tl;?dr|key (points|takeaways)|main points|in (a few|two|three|one|five) (sentences?|bullet|lines?|paragraphs?)|condense|recap|gist|boil (this|it) down|executive summary|zusammenfass|résume',
  ),
  rule(
    'translation',
    5,
    `translat(e|ion)|übersetz|tradu(ce|is|ire|zir)|how (do|would) (you|i) say .{1,60} in|(in|into|to|from) (${languages})`,
  ),
  rule(
    'extraction',
    4,
    'extract|pull out|parse (this|the|out)|list (all|every) .{0,40}(names?|dates?|emails?|addresses|entities|mentioned)|named entit|as json|into json|json (object|format|with)|fields?:|structured data|key.value',
  ),
  rule('extraction', 2, 'invoice|receipt|emails?|phone numbers?|entities|resume|find all|identify all'),
  rule(
    'classification',
    4,
    'classif(y|ication)|categori[sz]e|sentiment|label (this|these|each|the)|(is|are) (this|these|the following) .{0,40}(positive|negative|spam|toxic)|positive,? (negative|neutral)|spam or|which category|assign .{0,30}(category|label|tag)|one of (the|these) (categories|labels)|rate .{0,40}(1|0|one) to',
  ),
  rule('classification', 2, 'categor(y|ies)|labels?|tag(s|ged)?|urgent or|bucket|yes or no'),
  rule(
    'rewriting',
    4,
    'rewrite|rephrase|paraphrase|proofread|reword|copy ?edit|(improve|fix|correct|check) (my|the|this|any)? ?.{0,20}(grammar|writing|wording|spelling|punctuation|tone|style|sentence|paragraph|email|essay)|make (this|it|my) .{0,30}(sound|more|less|shorter|clearer|formal|concise|polite|professional|friendly)|polish|shorten',
  ),
  rule('rewriting', 2, 'grammar|tone|formal|clearer|concise|wording|typos?'),
  rule(
    'creative_writing',
    4,
    'poem|haiku|sonnet|short story|story about|fairy tale|lyrics|limerick|screenplay|novel|once upon|fan ?fiction|monologue|dialogue between|write a (song|story|scene|play|fable|ballad)|opening (line|paragraph|chapter)|villanelle|bedtime story',
  ),
  rule(
    'creative_writing',
    2,
    'story|character|plot|fiction|chapter|scene|rhym(e|es|ing)|verse|fantasy|dragon|protagonist',
  ),
  rule(
    'marketing_copy',
    4,
    'marketing|ad copy|slogan|tagline|landing page|product description|newsletter|seo|social media post|instagram|linkedin post|tweet|campaign|call to action|headline|google ads?|press release|subject lines?|copywrit|promot(e|ional)|sales (page|email|pitch)|cold email|caption',
  ),
  rule(
    'marketing_copy',
    2,
    'brand|audience|customers|launch|product|catchy|hashtags?|engaging|facebook|blog post',
  ),
  rule(
    'roleplay',
    5,
    "role.?play|pretend (to be|you are|you're|that)|act as (a|an|my|if)|you are (a|an) .{0,40}(pirate|wizard|detective|knight|vampire|captain|bartender|dragon|elf|witch|king|queen|ghost|innkeeper|merchant)|stay in character|in character|dungeon master|\\*[a-z ]{3,40}\\*|let's play|interview me as|be my .{0,20}(girlfriend|boyfriend|nemesis)",
  ),
  rule(
    'customer_support',
    4,
    "my order|refund|cancel my|subscription|my account|tracking number|hasn'?t arrived|customer (service|support)|i was charged|return (policy|this|the|an)|warranty|reset my password|billing|support ticket|shipment|delivery|can'?t log ?in|complaint|replacement|log into",
  ),
  rule('customer_support', 2, 'order|customer|ticket|charged|invoice|upgrade|plan|item|store'),
  rule(
    'legal',
    4,
    'contract|clause|lawsuit|liabilit(y|ies)|gdpr|copyright|trademark|patent|nda|non.?disclosure|tenant|landlord|lease|legal(ly)?|attorney|statute|jurisdiction|terms of service|indemnif|eviction|non.?compete|sue|court|inherit|will and testament|privacy policy|intellectual property',
  ),
  rule('legal', 2, 'law|rights|agreement|breach|license|employment|regulation|compliance|comply'),
  rule(
    'finance',
    4,
    'invest(ing|ment|ments|or)?|portfolio|stocks?|bonds?|mortgage|etf|401k|ira|dividends?|interest rates?|balance sheet|cash ?flow|valuation|p/e ratio|tax(es)?|retirement|inflation|ebitda|dcf|credit score|hedg(e|ing)|depreciation|budget|capital gains|loan|npv|amorti[sz]',
  ),
  rule(
    'finance',
    2,
    'money|salary|debt|savings?|bank|revenue|profit|price|market|fund|income|accounting|financial',
  ),
  rule(
    'health',
    4,
    'symptoms?|diagnos(is|e)|medication|dosage|blood pressure|headaches?|doctor|vaccine|diabetes|cholesterol|ibuprofen|pregnan(t|cy)|side effects?|vitamin|therapy|allerg(y|ic|ies)|insomnia|rash|fever|antibiotics?|anxiety|calories|workout|exercise routine|knee pain|back pain|migraine|sore throat',
  ),
  rule(
    'health',
    2,
    'pain|health(y)?|diet|sleep|muscle|medical|treatment|disease|heart|patient|nutrition|weight|stretch',
  ),
  rule(
    'brainstorming',
    5,
    'brainstorm|ideas for|give me (some |[0-9]+ |a few |a list of )?.{0,30}(ideas|names|suggestions)|suggest (some |[0-9]+ |a few )?.{0,30}(names|ideas|titles|ways|topics)|come up with|name ideas|what (could|are some ways)|list of .{0,30}ideas|creative ways',
  ),
  rule('brainstorming', 2, 'ideas?|suggestions?|names? for|themes?|creative'),
  rule(
    'advice',
    4,
    "should i|how (do|can|should) i (deal|cope|tell|ask|handle|approach|get over|become|convince|improve|negotiate|talk|prepare|choose|decide|learn|stop|say no)|advice|my (boss|friend|girlfriend|boyfriend|wife|husband|coworker|roommate|mother|father|parents|sister|brother|partner|manager|team|son|daughter|neighbou?r|kid)|what would you do|is it worth|i feel|i'm (struggling|worried|torn)|tips (for|on)|i don'?t know (whether|how|what)",
  ),
  rule('advice', 2, 'career|relationship|job|motivat|habit|interview|confidence|decision|feel(ing)?|offer'),
  rule(
    'small_talk',
    4,
    "^\\W*(hi|hello|hey|good (morning|evening|afternoon|night)|thanks?|thank you|how are you|what'?s up|yo|bye|goodbye|see you|hallo|hola|bonjour|ok|okay|cool|nice|lol|haha)\\b.{0,60}$|how are you|tell me a joke|how'?s it going|how was your|what'?s your (name|favou?rite)|are you (a )?(human|real|bot|there|ok)|nice to meet|who are you|do you (like|have feelings|dream|sleep)|i'?m bored|good to see",
  ),
  rule(
    'qa_knowledge',
    3,
    '^\\W*(who|what|when|where|which|why|how (many|much|old|long|far|tall|big|does|did|do|is|was)|is|are|was|were|did|does|can|name the)\\b',
  ),
  rule(
    'qa_knowledge',
    2,
    'capital of|who (was|is|wrote|invented|won|painted|discovered)|when (was|did|is)|where (is|was|did)|what is|what are|what year|difference between|meaning of|history of|definition of|how does|tell me about|invented',
  ),
];

function rule(tag: TaskTag, weight: number, sign: string): TaskRule {
  return { tag, weight, sign: new RegExp(`(?:^|[^\\p{L}\\p{N}])(?:${sign})(?:$|[^\\p{L}\\p{N}])`, 'iu') };
}
