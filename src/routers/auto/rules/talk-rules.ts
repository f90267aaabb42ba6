import { rule, type TaskRule } from './task-rule.ts';

/** Plans, wishes for advice, talk, and questions of any kind. */
export const talkRules: readonly TaskRule[] = [
  rule(
    'agent:multi_step_planning',
    7,
    'break (this|it|down) .{0,60}|decompose|step.by.step plan|(project|action|study|training|migration|meal|launch|business|weekly|marketing) plan|roadmap|milestones?|plan (out|the|a|an|my|our|of|for)|make a plan|(lay|set) out .{0,40}(plan|work|steps)|rollout|time ?line|schedule|checklist|itinerary|sprint planning|workstreams|week by week|month by month|by quarter|phases|in (what|which) order|in order|who does what|dependencies|projektplan|zeitplan|plane (eine|einen|die|den|mir)|reiseplan|planning|plan de|planifi\\p{L}+|programme de|plan para|plan de acción|paso a paso|cronograma|itinerario|pianific\\p{L}+|piano di|fasi|zaplanuj|harmonogram|план на|составь план|распланируй|计划|安排|スケジュール|計画|meal prep|organi[sz]e my',
  ),
  rule(
    'agent:multi_step_planning',
    4,
    'steps?|days?|weeks?|wochen|semaines|semanas|months|first .{1,80} then|by (friday|monday|the end)|deadlines?|estimates|owners|priorit\\p{L}+|within \\d+ (weeks|months)|from today until|risks|evenings free|weekends only|dauer|durata|per week|guests|trip to',
  ),
  rule(
    'advice',
    6,
    "should (i|we)|(what|how) (should|can|do|could) i (deal|cope|tell|ask|handle|approach|get over|become|convince|improve|negotiate|talk|prepare|choose|decide|learn|stop|say no|wear|respond|do)|how (do|can|should) i|advice|my (boss|friend|best friend|girlfriend|boyfriend|wife|husband|coworker|colleague|roommate|flatmate|mother|father|parents|sister|brother|partner|manager|team|son|daughter|neighbou?r|kid|teenage son|mentor|ex)|flatmate|roommate|what would you do|is it worth|i feel|i'?m (struggling|worried|torn|hurt|afraid|stuck)|tips (for|on)|i don'?t know (whether|how|what|if)|is it (weird|ok|okay|normal|rude|wrong|too late)|too late to|can'?t stop thinking|procrastinat\\p{L}+|job offers?|ask for a raise|honest opinion|first date|let it go|soll(te)? ich|meine freundin|mein freund|mein chef|meine eltern|was würdest du|comment (annoncer|dire|gérer|faire)|mes parents|mon (copain|chef|mari|ami)|ma (copine|femme|mère)|devrais-je|que faire|conseils?|mi (pareja|novio|novia|jefe|amig\\p{L}|madre|hij\\p{L})|qué hago|debería|consejos?|mia (sorella|madre|moglie|ragazza|amica)|mio (fratello|padre|marito|ragazzo|capo)|litigato|come posso|cosa faccio|dovrei|nie wiem|czy powin\\p{L}+|mój chłopak|chłopak\\p{L}|不知道该|我该|怎么办|すべき|стоит ли|мне делать|посоветуй",
  ),
  rule(
    'advice',
    3,
    'career|relationship|job|motivat\\p{L}+|habit|interview|confiden\\p{L}+|decide|decision|feel\\p{L}*|offers?|birthday|wedding|marriage|dog|move|raise|unfair|studieren|études|mudarse|stupid|never cleans|talked',
  ),
  rule(
    'small_talk',
    7,
    "^\\W*(hi|hello|hey|hiya|heya|good (morning|evening|afternoon|night)|thanks?|thank you|thx|yo|bye|goodbye|see you|hallo|moin|servus|guten (tag|morgen|abend)|na|hola|bonjour|bonsoir|salut|coucou|ciao|buongiorno|buonasera|olá|oi|cześć|dzień dobry|hej|privet|привет|здравствуй\\p{L}*|merhaba|ok|okay|cool|nice|lol|haha\\p{L}*|merci|danke|gracias|grazie|obrigad\\p{L}|dzięki|спасибо|wow|great|good job|well done)(?![\\p{L}\\p{N}]).{0,50}$|how are you|how('?s| is) it going|how was your|tell me a joke|what'?s up|what'?s your (name|favou?rite)|are you (a |an )?(real|human|bot|robot|there|ok|alive|sentient|ai)|nice to meet|who (are|made|built) you|do you (ever |even )?(like|have feelings|dream|sleep|get tired|eat|love)|i'?m bored|entertain me|good to see|you'?re (funny|great|cute|awesome|the best|sweet)|i love you|just wanted to say|wie geht'?s|alles klar|ça va|qué tal|cómo estás|come stai|come va|tutto bene|co słychać|jak się masz|как дела|nasılsın|你好|您好|早上好|晚上好|谢谢|最近怎么样|こんにちは|おはよう|ありがとう|元気",
  ),
  rule('small_talk', 3, 'joke|bored|long day|raining|lonely|smile|friend\\?|:\\)|haha|weather today'),
  rule(
    'science',
    3,
    "^\\W*(why|how) (do|does|is|are|can|did) (?!(i|we|you|my|your|our|they|the (french|english|germans?|americans?))(?!\\p{L})).{3,80}\\??$|^\\W*(warum|wieso) (ist|sind|wird|werden|haben) (?!(mein|dein|unser|ich))|^\\W*pourquoi (le|la|les|l')|^\\W*por qué (el|la|los|las) |^\\W*perché (il|la|i|gli|le) ",
  ),
  // What nothing else claims and begins like a question is one of knowledge.
  rule(
    'qa_knowledge',
    2,
    "^\\W*(who|what|what's|when|where|which|why|how (many|much|old|long|far|tall|big|does|did|do|is|was)|is|are|was|were|did|does|can|name|wer|was|wann|wo|warum|welche\\p{L}*|wie|qui|que|qu'est-ce|quand|où|pourquoi|quel\\p{L}*|combien|quién|qué|cuándo|dónde|cuál|cuánt\\p{L}+|por qué|chi|che|quando|dove|perché|quale|quanti|kto|co|kiedy|gdzie|jaki\\p{L}*|dlaczego|ile|кто|что|когда|где|почему|сколько)(?![\\p{L}\\p{N}])|[？?]$",
  ),
];

/** Signs that somebody wants something done with a tool, counted where tools are offered. */
export const toolRules: readonly TaskRule[] = [
  rule(
    'agent:tool_use',
    4,
    "book|order|search|look up|check (my|the|if|whether)|find (me|an?|out)|turn (on|off)|set (the|a|an)|add .{0,40}(list|calendar)|remind|play|send|schedule|delete|cancel|open the|create (a|an) (ticket|event|issue|note|reminder)|call|message|use the|weather|forecast|today|tomorrow|tonight|now|gerade|jetzt|heute|morgen|aujourd'hui|demain|hoy|mañana|oggi|domani|current\\p{L}*|aktuell\\p{L}*|actual|latest|my (calendar|invoices|inbox|emails|files|orders)|continue|go on|do that|do the same|the (other|second|first) one|the (red|blue|green|black|white) one|who (emailed|called|wrote)|email(ed)?|transfer|battery|akku|what did you find|nuove email|trouve-moi|controlla|查|帮我|明天|cotización",
  ),
  rule(
    'agent:coding',
    7,
    'on main|pytest|jest|undo that|use a map|its own file|into its own|tests green|mit test|der cli|den befehl|code ?base|returns? (404|500|401|403)|same error|find out why|fix it|makefile|webhooks?|tests? pass|debug prints|eslint|config file|führe|run (it|them|the)|repo(sitory)?|dieses repo|repositorio|codebase|src/\\S*|tests?/\\S*|\\S+\\.(ts|tsx|js|jsx|py|go|rs|java|rb|php|cs|cpp|c|h|kt|swift|vue|json|ya?ml|toml|sh|sql|md)|git( diff| log| status)?|commit~|branch|push|pull request|merge conflict|bisect|revert|rebase|lint\\p{L}*|compile\\p{L}*|build|test suite|failing test|npm|pnpm|yarn|pip|cargo|unused|dependenc\\p{L}+|imports?|endpoint|migration|module\\p{L}*|módulos|commonjs|todo|stack ?trace|session cookie|--\\p{L}+|flag to|refactor|ci|upgrade .{0,30}to|in all files|everywhere|component|modèle|仓库|内存泄漏|修复',
  ),
];
