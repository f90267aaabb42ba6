import { rule, type TaskRule, wordsOf } from './task-rule.ts';

/** Names of languages, tools and things that only occur where somebody programs. */
export const technology = wordsOf(
  'kd-tree|data structure~|hash ?map|dictionary|tuple|enum|interface|abstract|virtual|destructor|destruktor|constructor|konstruktor|namespace|macro|operator|ternar~|semaphore|coroutine~|iterator|generator|yield|callback|event loop|re-?render~|fetch|cors|http|request|header|status code|payload|userscript|script block|code block|regex|cgo|ffi|abi|god object|spec|specs|handler|cypress|methoden|methode|skript|apps-script|implementierung|implementation|implementación|implémentation|árbol binario|requête fetch|mergesort|quicksort|sort|sorting|pr description|logger|vanilla js|autocomplete|z-index|user ?id|main branch|on main|stderr|stdout|stdin|localhost|port|environment variable~|env var~|config|serverless|microservice~|monolith|kafka|rabbitmq|redis|mongodb|elasticsearch|grpc|oauth|jwt|encryption|hashing|utf-?8|unicode|encoding|bitwise|modulo operator|orm|php|makefile|cli|browser extension|console|logs|app|flutter|android|ios|swiftui|xcode|haskell module|pagination|cache|invalidation|props|repository layer|views?|promises?|hoisting|three dots|rebase|ndjson|float|char|struct|stack|queue|heap|tree|linked list|binary|big o|time complexity|runtime|syntax|compile|import~|package|packages|dependency|dependencies|endpoint|webhook|cookie|session|token|auth|login flow|program|programs|programm|programma|programme|methods?|switch statements?|url shortener|python|javascript|typescript|java|kotlin|golang|in go|rust|c\\+\\+(17|20|98)?|c#|ruby|php|scala|haskell|elixir|perl|lua|bash|power ?shell|shell|node(\\.?js)?|django|flask|fastapi|spring|rails|laravel|numpy|pandas|react|vue|svelte|angular|next\\.?js|jquery|unity|godot|asyncio|websocket|rest api|api|apis|graphql|json|yaml|xml|regex~|function|functions|funktion|funktionen|fonction|función|funzione|função|funkcj~|método|code|codes|código|codice|kod|compiler|compile~|script|scripts|skript|class|classes|klasse|clase|loop|loops|array|string|strings|pointer|thread|threads|mutex|goroutine|closure|recursion|lambda|decorator|decoratore|decorador|async|await|promise|generics|null|boolean|int|component|module|library|framework|backend|frontend|repo|repository|git|commit|pull request|pr|diff|branch|merge|refactor~|debug~|unit tests?|test suite|ci|docker~|kubernetes|sql|css|html|database|endpoint|middleware|npm|pip|cargo|maven|gradle|webpack|vite|awk|sed|grep|cron|systemd|nginx|smart contract|solidity|algorithm~|algoritmo|variable|variables|argument|parameter|hook|hooks|state|useeffect|usestate|stack ?trace|exception|代码|函数|程序|脚本|コード|関数|プログラム|код|функци~|программ~',
);

/** Rules that count where a text holds code or speaks of it. */
export const codeRules: readonly TaskRule[] = [
  rule(
    'code:generation',
    3,
    '(write|create|implement|build|make|generate|code|develop|program|need|want|give me|show me) (me |us )?(a|an|the|some|this|my|one)|implement|schreib~|erstell~|programmier~|écri~|crée|créer|code-moi|escrib~|crea|haz|hazme|desarrolla|scrivi|creami|escreva|faça|crie|napisz|stwórz|напиши|создай|schrijf|yaz|写|实现|编写|生成|書いて|作って',
  ),
  rule(
    'code:generation',
    2,
    'one.?liner|cli|bot|game|scraper|parser|from scratch|no external|without (any )?(libraries|dependencies)|as short as possible|todo|complete|that (takes|returns|reads|prints|counts|checks)|which (takes|returns|reads|prints)|die .{0,30}(prüft|liest|schreibt|berechnet)|qui (prend|lit|télécharge)|client for|singleton',
  ),
  rule(
    'code:debugging',
    6,
    "traceback|stack ?trace|seg(mentation )?fault|segfaults?|core dumped|null ?pointer|\\p{L}*exception|\\p{L}+error|is not defined|undefined is not|cannot (read|find|borrow|resolve|import)|can't resolve|could not (find|resolve)|unable to resolve|econn\\p{L}*|err!|err_\\p{L}+|error\\[e\\d+\\]|ora-\\d+|exit code \\d+|panic|panics|nan|out of memory|oom|memory leak|leaks?|deadlock\\p{L}*|race condition in prod\\p{L}*|infinite loop|never ends?|hangs?( forever)?|freezes|crash\\p{L}*|stürzt|absturz|plante|se cuelga|si blocca|空指针|报错|出错|崩溃|异常|エラー|例外|ошибк\\p{L}*|падает",
  ),
  rule(
    'code:debugging',
    4,
    "too many re-?renders|pending|already (allocated|in use|exists)|unstable|violation|red on|although|obwohl|remains?|stuck|timeouts?|times out|refused|denied|missing module|why is my|why isn'?t|why won'?t|pourquoi (ma|mon)|warum (ist|wird|geht|kommt)|por qué mi|perché il mio|white screen|blank page|page blanche|leere seite|stack size exceeded|fatal:|refusing to|what'?s going on|old values|alten werte|immer noch|doesn'?t (see|recogni[sz]e|show)|gives? (false|true|null|wrong)|instead of \\d|prints? .{0,40}instead|flickers?|help$|since the update|after (the|an) (update|upgrade)|fatal|debug~|bugs?|bugfix|doesn'?t (work|compile|run|render|update|build)|does not (work|compile|run|render)|not working|stopped working|what'?s wrong|what is wrong|goes wrong|went wrong|wrong (output|result|answer|value)|off by one|unexpected|why (does|is|do|am|did) (this|it|my|the|i) .{0,50}|why .{0,40}(twice|fail~|return~|null|none|empty|undefined|slow)|fails?|failing|fehler~|funktioniert nicht|geht nicht|was mache ich falsch|warum|ne (marche|fonctionne) pas|erreur|no funciona|error|errors|errore|non funziona|nie działa|błąd|works? (fine )?(in|on|locally)|worked (yesterday|before)|no idea why|spot why|how do i get rid|为什么|哪里|原因|почему",
  ),
  rule(
    'code:refactoring',
    6,
    'refactor~|refaktor~|refactoriza~|rifattorizza~|clean ?(this |it |up|the )+|simplify|simplif~|vereinfach~|semplifica~|restructure~|reorgani[sz]e~|moderni[sz]e~|deduplicate|more (readable|idiomatic|maintainable|pythonic|functional|elegant)|lesbarer|plus lisible|más legible|più leggibile|rewrite|convert (this|these|the|my)|migrate (this|the|my)|port (this|it|the|my)|translate (this|the) (code|script|function|class)|turn (this|these|the) .{0,40}into|without (mutation|changing (the )?behaviou?r)|重构|リファクタ|рефактор~',
  ),
  rule(
    'code:refactoring',
    4,
    'convert to|gone|god object|nested|gleiche|vereinfachen|vereinfach~|no any|convertir|umbau~|umschreib~|tidy~|shorter|zerlege|entferne|move (from|away)|prefer (await|composition|functions)|take .{0,40}out of|put it into|through (three|four|five) levels|prop drilling|rename|extract .{0,40}(into|to|method|function|class)|split (it|this|the|up)|duplicat~|duplizier~|duplicación|repeti~|get rid of the|replace .{0,40}(by|with)|move .{0,60}(to|into|out)|inline|global variables?|too (long|many|big)|trop de|mess|spaghetti|nested|imbriqu~|instead of|has grown|if.else|switch statements?|better names|design pattern|composition|inheritance|decouple|重复',
  ),
  rule(
    'code:review',
    6,
    'code ?review|(please )?review|reviewer|relis|revoir|revisa|überprüf~|prüf(e|en)? (bitte )?(meinen|den|diesen)|schau~ .{0,30}(code|an)|rivedi|sprawdź|critique|(any|see) (issues|problems|concerns|flaws)|look over|(take a|have a) look|looks good|lgtm|feedback (on|to)|before i merge|good to merge|what would .{0,40}(change|say|improve)|what do you think|bad practices|malas prácticas|security (holes|issues|problems|review)|security wise|reentrancy|vulnerab~|thread.?safe\\?|is this (thread|safe|secure|ok|okay|good|idiomatic|correct)|审查|評価|レビュー|漏洞|проверь',
  ),
  rule(
    'code:review',
    3,
    'could go wrong|sanity check|brutally honest|está bien|hay algo que|algo que mejorar|before my|in production|approve|ship it|risky|roast|comments welcome|memory safety|check my|ist dieser ansatz|in ordnung|anders lösen|is there no|opinion|reasonable|pros and cons|flag|improve|besser machen|améliorer|mejorar|problems? (in|with)|problèmes de|by severity|patch|race conditions?|honest|anything (you|i)',
  ),
  rule(
    'code:explanation',
    6,
    "explain~|erklär~|expli(que|quez|ca|car|quer)|spiega~|wyjaśnij|объясни~|what (does|do|is|are) .{0,80}(do|mean|means|print|prints|return|for)|what does|walk me through|line by line|step by step what|tell me what|how (does|do) .{0,60}(work|affect|differ)|difference between|unterschied zwischen|différence entre|diferencia entre|what happens|what is (a|an|the)|what's (a|an|the)|purpose of|was macht|was bedeutet|ce que fait|que fait|qué hace|cosa fa|come funziona|co robi|i don'?t understand|don'?t (get|click)|in plain words|what .{0,30} is good for|解释|什么意思|作用|説明|意味|что делает",
  ),
  rule(
    'code:explanation',
    3,
    "eli5|meaning of|how come|wozu|vs\\.?|versus|what is the|is true|cómo funciona|comment fonctionne|wie funktioniert|can you go through|say what each|what is hoisting|point of|was passiert|ne comprends pas|no entiendo|non capisco|nie rozumiem|what do the|time complexity|complexity of|in terms of|why (do|does|would) (we|one|you)( need| use| have)?|when (would|should) (i|one|you)|beginner|understand|meaning|keyword|concept|actually|example|pseudo ?code|what's the",
  ),
  rule(
    'code:testing',
    4,
    'teste|testen|tester|probar|testare|getestet|zufallszahlen|tests?|testing|assert|deterministic|regression',
  ),
  rule(
    'code:sql',
    4,
    'latest .{0,30} per|one row each|consecutive days|users who|par jour|pro tag|por día|varchar|slower than|count .{0,30}(per|by)|find (users|customers|rows|orders)|revenue by|share of all|touches every row|paginate|records|normali[sz]e|normal form|acid|transactions?|db|deadlock~|foreign|statement|alle kunden|kunden, die|tabelle|produits? jamais|consulta|requête|abfrage|zapytanie|tables?|tabell~|tablas?|rows?|columns?|database|datenbank|base de (données|datos)|schema|joins?|index(es)?|duplicates|running total|per (month|department|country|customer|week)|pivot|查询|数据库',
  ),
  rule(
    'code:devops',
    4,
    'inodes?|nodes|rsync|nas|nginx|wildcard|zertifikat|cloudflare|autoscaling|ecs|queue length|every night|port is|volume|swap|cpu|memory limit|registry|replicas|limits|rps|pm2|disk full|/var|lambda|sqs|queue|vpn|absichern|sichere|server|kubelet|ingress|secrets?|cost~ per|scale~|autoscal~|uptime|déploy~|despleg~|bereitstell~|pipeline|containers?|contenedor~|cluster|servers?|ssh|tls|https|certificates?|pods?|bucket|aws|gcp|cloud|rollback|roll back|downtime|staging|firewall|dns|backup~|ubuntu|logs|monitoring|gunicorn|部署|サーバー',
  ),
  rule(
    'code:frontend',
    4,
    'z-index|left column|right column|autocomplete|keyboard navigation|skeleton|spinner|loading state|copy button|two column|layout|overflow|padding|margin|align~|canvas|popover|table row|checkbox|menu|submenu|tabs|settings page|print stylesheet|input field|text wrap|flicker~|mouse|formats while|raster|karten|mobile|screen|desktop|react|angular|next\\.?js|component~|composant|button|hover|animation|grid|cards?|layout|header|footer|sidebar|forms?|center|centre|accessible|scroll~|toggle|icon|focus|phones?|iphone|background|style~|column|pixel|font|browser|safari|chrome|wrap|reduced motion|store for',
  ),
];

/** Rules whose words only occur where somebody programs: they count in every text. */
export const plainCodeRules: readonly TaskRule[] = [
  rule(
    'code:testing',
    9,
    'unit.?tests?|integration tests?|e2e|end.to.end tests?|acceptance tests?|load test~|test cases?|tests? (for|fail~|data|suite|double|coverage)|pytest|jest|vitest|junit|mocha|rspec|playwright|cypress|selenium|mockito|hypothesis|k6|mock~|stub~|fixtures?|snapshot test~|property.?based|table.?driven|gherkin|parametri[sz]ed test|flaky|write .{0,20}tests?|tests? unitaires?|pruebas|testfäll~|komponententest~|dei test|test unitari|testy|assertions?|coverage|edge cases?|randfäll~|单元测试|测试|テスト|тест~',
  ),
  rule(
    'code:sql',
    7,
    'varchar|requête (sql|pour)|sql|mysql|postgres(ql)?|sqlite|mariadb|bigquery|snowflake|t-sql|plpgsql|select .{1,80} from|(left|right|inner|outer|cross) join|group by|order by|window functions?|ctes?|upsert|alter table|create table|foreign keys?|primary key|composite index|explain analyze|seq scan|stored procedure|consulta sql',
  ),
  rule(
    'code:devops',
    7,
    "inodes?|rsync|ecs|autoscal~|wildcard.zertifikat|cloudflare|docker\\p{L}*|kubernetes|k8s|kubectl|helm|terraform|ansible|ci/cd|github actions?|gitlab ci|jenkins|nginx|apache|traefik|caddy|systemd|prometheus|grafana|loki|crashloopbackoff|cron(tab|job)?|cron job|load balancer|argocd|cloudformation|let'?s encrypt|reverse proxy|vps|ec2|s3|vpc|alb|route53|lambda function|eks|gke|aks|blue/green|canary",
  ),
  rule(
    'code:frontend',
    7,
    'z-index|two.column layout|css|html|tailwind|flexbox|react component|jsx|tsx|svelte|vue|svg|responsive|navbar|nav(igation)? ?bar|navigationsleiste|sticky header|carousel|carrusel|carrousel|tooltip|modale?|dropdown|infinite scroll|drag and drop|lazy load|viewport|media query|dark mode|glassmorphism|web ?page|webseite|page web|página web|pagina web',
  ),
];
