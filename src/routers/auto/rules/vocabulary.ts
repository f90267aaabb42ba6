import { rule, type TaskRule } from './task-rule.ts';

/** Words that speak for a kind of task without saying it: they decide where nothing clearer is said. */
export const vocabulary: readonly TaskRule[] = [
  rule(
    'math',
    4,
    'teilbar|dreistellig\\p{L}*|zahlen|wie viele .{0,20}zahlen|deck of|aces|split a bill|tip|how much each|simplify \\(|addiere|multiplizier~|multiply|subtract|add up|sum up to|digits?|prime|factorial~|fakultät|diagonal~|exponent~|power of|cubed|squared|integer~|rational|decimal|numerator|denominator|vector~|determinant|tangent|cosine|sine|parabola|slope|intercept|median|mode of|variance|binomial|sequence|series|arithmetic|geometric|recurrence|récurrence|induction|converge~|diverge~|graph theory|set theory|subset|bijection|congruent|polygon|hexagon|cylinder|sphere|cone|cube|volume|surface area|ratio|proportion|percentage|grenzwert|unendlich|infinity|berechne|rechne|bruch|fläche|umfang|fraction|racine|suite|somme|limite de|raíz|fracción|área|volumen|calcola|frazione|oblicz|ułamek|pole|objętość|solve for|find (all|the) (x|y|n|real|integer|value|roots?|solutions?)|how many zeros|times table|squares?|odd numbers|even numbers|pythagor~',
  ),
  rule(
    'science',
    4,
    'glow|schwindelig|dizzy when|in the dark|dark energy|formed|oxid~|gravitational|reflex~|vision|color of|colour of|temperature|absolute zero|pressure|altitude|sound|speed of|animals? (see|hear)|cats?|dogs?|venom~|poison~|hibernat~|migrat~|satellite~|rocket~|immune system|pathogen~|half-?life|carbon|oxygen|hydrogen|nitrogen|helium|radioactiv~|nuclear|plasma|magnet~|electric~|current|voltage|semiconductor~|laser|optic~|refract~|diffract~|frequency|wavelength|friction|velocity|acceleration|momentum|newton~|einstein|darwin|ecosystem~|photosynth~|chlorophyll|root pressure|osmosis|diffusion|membrane|hormone~|bone~|blood cells|brain|nervous system|reproduc~|mutation~|natural selection|species|mammals?|insect~|bees?|ants?|whales?|trees?|plants?|fungi|mushrooms?|bread rise|yeast|ferment~|boil~|freez~|melt~|evaporat~|liquid|gas|solid|crystal~|glass|metal|alloy|rust|combust~|catalyst|polymer~|periodic table|element~|ion~|salt|sea ?water|salado|weather|storm~|lightning|thunder|rainbow~|cloud~|wind|ice age|glacier~|ozone|greenhouse|asteroid~|comet~|mars|jupiter|saturn|big bang|dark matter|telescope|space ?time|chemisch~|teilchen|strahlung|magnetfeld|kernspin~|schwerkraft|lichtgeschwindigkeit|sterne?|planeten|tiere|vögel|pflanzen|gehirn|lumière|gravité|étoile~|planète|océan|oiseaux|cerveau|luz|gravedad|planeta|estrella|océano|cerebro|luce|gravità|pianet~|stelle|cervello|grawitacj~|planet~|gwiazd~|światło',
  ),
  rule(
    'qa_knowledge',
    3,
    'stand for|abbreviation|acronym|population|currency|flag of|anthem|language(s)? (do they|is spoken)|president|prime minister|emperor|empire|dynasty|revolution|treaty|battle|century|ancient|medieval|roman~|greek|egypt~|mytholog~|god of|goddess|religion|festival|holiday|olympic~|champion~|oscar|nobel|author|novelist|painter|composer|band|album|actor|actress|film|movie|tv show|episode|book|famous|inventor|explorer|continent|country|countries|river|mountain|lake|island|desert|city|cities|border|nato|united nations|who is|who was|wie heißt|wer ist|wann war|wo liegt|wie viele|qui est|où se trouve|quand|quién (es|fue)|dónde|cuándo|chi è|quando|dove|gdzie|kiedy|etymolog~|synonym|antonym|proverb|idiom',
  ),
  rule(
    'data_analysis',
    4,
    'clicks?|unusual|besucherzahlen|pro stunde|personal einplanen|driving the|monthly numbers|salaries of|report (mean|the)|visitors|page views|by category|sessions|orders per|zahlen pro|verkaufszahlen|umsatz pro|statistically|anomal~|noise|basket|revenue fell|week \\d|figures|per week|per month|weekly|daily numbers|mean|mittelwert|average|median|variance|confidence interval|hypothesis test|t.test|chi.?squared?|anova|bayes~|predict~|model accuracy|feature importance|dashboard|power bi|tableau|heatmap|scatter|box ?plot|bar chart|line chart|visuali[sz]~|cluster~|onboarding variants|variants|funnel|segment~|growth|drop(ped)? (from|by)|increase[ds]?|decline|percentile~|quartile|messwert~|statisti~|diagramm|kennzahl~|auswertung|tabelle|chiffres|tableau|moyenne|écart|estadístic~|promedio|gráfico|crecimiento|statistic~|grafico|crescita|średnia|wykres|dane',
  ),
  rule(
    'legal',
    4,
    'do i have to (pay|give|sign|accept)|heating|broken heating|darf (mein|ich|man)|am i allowed|are they allowed|loan agreement|agreement between|company name|domain dispute|name as their|impersonat~|can (someone|they|he|she) use|urlaub schreiben|arbeitgeber|my rights|a will|last will|testament|heir~|probate|custody|divorce|alimony|prenup|adoption law|visa|immigration|citizenship|residence permit|work permit|deport~|police|arrest~|bail|fine for|traffic ticket|speeding|prosecut~|criminal|felony|misdemeanou?r|plaintiff|defendant|witness~|testify|evidence in court|judge|jury|appeal|verdict|arbitration|mediation|settlement|damages|compensation|negligence|defamation|libel|slander|harassment at work|dismiss~|unfair dismissal|severance|redundancy|union|works council|overtime|minimum wage|deposit back|security deposit|withhold payment|late payment|refund law|consumer (rights|protection)|cookie banner|data protection|compliant|compliance|allowed to|permitted|licens~|royalt~|public domain|fair use|quote .{0,20}(book|song)|limited company|sole trader|llc|gmbh|partnership agreement|shareholder agreement|articles of association|liable|power of attorney|notary|vollmacht|erbe|erbrecht|testament|vermieter|mieter|kaution|abmahnung|urheberrecht|arbeitsrecht|scheidung|sorgerecht|unterhalt|klage|gericht|schadenersatz|locataire|propriétaire|caution|licenciement|divorce|héritage|tribunal|plainte|casero|inquilino|fianza|despido|divorcio|juicio|denuncia|proprietario|inquilino|cauzione|licenziamento|divorzio|tribunale|denuncia|najem|kaucja|rozwód|sąd|spadek|zwolnieni~',
  ),
  rule(
    'finance',
    4,
    'savings rate|refinanc~|balance sheet|steuern|verkaufe|aktien|loan|percent interest|salary negotiation market|raised prices|net worth|side income|dividend~|afford|gold|silver|crypto~|bitcoin|ethereum|recession|runway|burns?|burn rate|fundrais~|venture|term sheet|equity|dilution|short selling|short sell|options trading|call option|put option|futures|forex|currency risk|exchange rate|yield|coupon|treasur~|index funds?|mutual funds?|fonds|rentenfonds|thesaurier~|ausschütt~|broker|margin|leverage|liquidity|solvency|working capital|accounts (payable|receivable)|ledger|bookkeeping|invoice factoring|vat|payroll|deduct~|deduction|tax return|withholding|estate tax|inheritance tax|insurance premium|life insurance|annuity|401\\(k\\)|superannuation|wages|raise my prices|pricing strategy|unit economics|cac|ltv|roi|irr|payback|break even|gross margin|net margin|overhead|cost of capital|wacc|central bank|fed rate|interest|rate hike|money supply|gdp|unemployment|house price|down ?payment|refinanc~|student loan|credit card|overdraft|bankrupt~|insolven~|altersvorsorge|rente|sparen|sparplan|aktie|börse|tilgung|retraite|mettre de côté|emprunter|assurance.vie|livret|jubilación|invertir|bolsa|deuda|pensione|borsa|investimento|emerytur~|oszczędz~|inwestow~|akcje',
  ),
  rule(
    'health',
    4,
    'antidepressants|coffee with|gebrochen~|heilt|heilung|eat before|after a workout|finger|bein|throat|medications?|dose|overdose|healthy|unhealthy|drink (coffee|alcohol)|safe to (eat|take|drink)|is it ok to (take|drink|eat)|ankle|wrist|elbow|shoulder|hip|knee|spine|neck|chest|stomach|abdom~|belly|throat|ear|eye|tooth|teeth|gum|skin|scalp|hair loss|nail|lung~|liver|kidney|bladder|thyroid|hormones|period|menstru~|menopause|contracepti~|fertility|breastfeed~|newborn|baby|toddler|contagious|infect~|chickenpox|measles|mumps|flu|cold|covid|pneumonia|bronchitis|asthma|hay fever|eczema|psoriasis|acne|gout|arthritis|osteopor~|hernia|ulcer|gastritis|reflux|ibs|celiac|constipat~|diarrh~|nausea|vomit~|dizz~|faint~|seizure|stroke|cancer|tumou?r|biops~|surgery|operation|anesthe~|x-ray|mri|scan|painkiller~|blood thinner~|antidepress~|statin~|insulin|inhaler|supplement~|magnesium|iron|omega|probiotic~|smoking|quit smoking|alcohol|hangover|dehydrat~|swollen|swelling|bruise|sprain~|twisted|fracture|burn|wound|stitches|bleed~|cramp~|sore|numb|tingling|palpitation~|panic attack|burnout|adhd|autis~|ptsd|posture|physio~|hours of sleep|snor~|nap|bmi|lose weight|keto|carbs|fibre|calorie~|marathon training|muskelkater|grippe|erkält~|impfung|allergie|rückenschmerz~|kopfschmerz~|bauchweh|medikament~|blutdruck|schlaf|ernährung|mal (à la|de|au)|toux|grippe|vaccin|régime|sommeil|tos|fiebre|gastritis|alergia|presión|comer si|dieta|tosse|influenza|allergia|stomaco|mal di|kaszel|gorączka|grypa|katar|alergia|ciśnieni~',
  ),
  rule(
    'advice',
    4,
    "angst|kündigen, obwohl|my parents want|want me to|flirted|tell my friend|stay motivated|learning alone|boundaries|say no|my own|friend that|ghosted|ghosting|soll ich|lonely|apologi[sz]e|forgive|jealous|lonely|heartbroken|break ?up|broke up|dating|crush|cheat(ed|ing) on|trust (him|her)|long.distance|in.?laws|stepmother|kids? won'?t|parenting|my (\\p{L}+ )?(grandmother|grandfather|aunt|uncle|cousin|ex|crush|classmate|professor|landlady|in-laws|mum|mom|dad)|i (hate|regret|miss|lost|failed|quit) |quit or|stay or|or should|everyone around me|deal with (it|this|him|her|them)|how to (deal|cope|tell|ask|say no|stay|become|stop)|would you (lend|tell|do|go|take|accept|stay)|what if i|burned out|overthink~|self.?esteem|shy|awkward|embarrass~|guilty|ashamed|lazy|discipline|new year'?s resolution|move out|settle down|life choices|midlife|degree|university or|gap year|major in|drop out|switch careers|career change|resign~|two weeks'? notice|toxic (boss|workplace)|mobbing|gehaltsverhandlung|streit|trennung|schwiegermutter|meine mutter|mein vater|meine schwester|mein bruder|mein kollege|meine kollegin|ich weiß nicht|wird mir zu viel|entschuldig~|mon père|ma mère|mon frère|ma soeur|mon collègue|je ne sais pas|rupture|compañer~ de (piso|trabajo)|mi (padre|hermano|hermana|marido|mujer|compañer~)|no sé (qué|si|cómo)|cómo le digo|non so (se|come|cosa)|mio padre|mia figlia|mio figlio|collega|mój (szef|mąż|brat)|moja (mama|żona|siostra)",
  ),
  rule(
    'customer_support',
    4,
    'falsche (modell|größe|farbe|artikel)|zurückschicken|zurücksenden|send (it )?back|double booking|booked twice|changed the app|can.?t log in|cannot log in|not here|never arrived|still waiting|waiting for my|order status|retoure|parcel|package|courier|sendungsverfolgung|paket|track(ing)?|dispatched|wrong (size|item|colou?r|address)|exchange|voucher|coupon|promo~|discount code|expired|payment (was )?(refused|failed|declined|method)|double charge|chargeback|logged (me )?out|sign.?in|two.?factor|verification code|activation|license key|serial number|guarantee|repair|defect~|faulty|missing (item|part)|out of stock|pre-?order|pick.?up|opening hours|your (app|site|website|shop|team|company|technician|driver|hotline)|hotline|call back|helpdesk|account (is|was|has)|deactivat~|unsubscribe|facture|rechnung|mahnung|lieferant|zustellung|reklam(ation|ieren)|kundennummer|colis|livraison|paiement|abonnement|factura|envío|entrega|paquete|devolución|garantía|fattura|consegna|pacco|spedizione|pagamento|garanzia|paczka|dostaw~|płatnoś~|faktur~',
  ),
  rule(
    'creative_writing',
    4,
    'ghost story|line poem|scene where|a scene|eine geschichte|geschichte über|write me a .{0,20}story|rivals|set in an?|rhyme|acrostic|retirement card|toast|speech for|tale|tell me a (story|tale)|compose|rap( battle)?|anthem|hymn|jingle|ode|epitaph|eulogy|vignette|flash fiction|prologue|epilogue|backstory|world.?building|a city (built|where)|a world where|last sentence|first sentence|first line|opening line|what comes before|what happens next|a letter from|diary (entry|of)|in the voice of|narrator|twist ending|metaphor~|allegory|satire|parody|sci-?fi|dystopia~|romance|thriller|mystery|magic~|vampires?|knights?|princess|prince|castle|kingdom|clockmaker|sailor|witches|reim~|vierzeiler|lied(text)?|theaterstück|paroles|chanson|pièce|roman|canción|letra|obra de teatro|novela|canzone|testo di una|romanzo|piosenk~|powieść|rymowank~',
  ),
  rule(
    'marketing_copy',
    4,
    "app store|play store|listing|etsy|amazon listing|ebay|leaflet|poster|banner~|bannière~|billboard|pitch|elevator pitch|one.?liner for|punch ?line|value proposition|positioning|usp|unique selling|conversion copy|drip campaign|lapsed|re-?engage|offer|sale|black friday|giveaway|referral|influencer|podcast ad|video script|youtube (title|description)|blog (post|intro)|press kit|event invitation|sponsor~|fundraiser|donation|customer story|testimonial|case study|b2b|saas|target group|landing|home ?page|our (app|product|service|shop|brand|company|startup|course|webinar)|facebook-seite|beitrag|post für|produkttext|newsletter|texte(s)? pour|slogan|page d'accueil|campaña|eslogan|página de inicio|campagna|sito web|kampani~|post na|opis produktu",
  ),
  rule(
    'roleplay',
    5,
    "play a |strict|start the lesson|coach|who receives me|i push|creaking|i (step|climb|follow|reach|nod|whisper|grab)|mon coach|mein lehrer|my lady|your majesty|envoy|you('re| are) the |you('re| are) a |i'?m (the|a|your) .{0,40}(begin|start|go)|let('s| us) play|begin\\.|your character|my character|npc|game master|quest|i (enter|walk|draw|approach|look around|open the door)|what do i see|(he|she) says|talk to me (as|like)|as if you were my|speak like|respond (as|like)|ship'?s computer|centurion|feilsch~|händler|sei (ein|eine|mein)|antworte als|réponds comme|comme si tu étais|habla como|responde como|como si fueras|parla come|come se fossi|rispondi come|zachowuj się jak|odpowiadaj jak",
  ),
  rule(
    'brainstorming',
    4,
    'what (could|should|can|shall) we call|nenne mir|zehn dinge|ways to (make|use|reuse|celebrate)|make .{0,30} more fun|dinge, die man|upcycl~|fun ways|what to call|call our|name for|cheap ways|angles?|side projects?|pun|punny|wordplay|mascot|what might|what else could|inspire|inspiration|options for|possibilities|activities|hobbies|things to do|what to do (with|on|in)|date night|conversation (topics|starters)|sujets de|prompts for|team name|band name|domain name|username|nickname|pet name|baby names?|business (model|idea)s?|product ideas|content ideas|story ideas|project ideas|fundraising ideas|decorat~|costume|anregung~|was (kann|könnte) (man|ich|wir)|trouve (dix|cinq|des)|propose|que (puedo|podemos) hacer|ocurrencias|cosa (posso|possiamo) fare|suggerisci|spunti|zaproponuj|wymyśl',
  ),
  rule(
    'agent:multi_step_planning',
    4,
    'programme|organi[sz]e|structure the (next|coming)|draft the schedule|from \\d+ to \\d+|what do we need to do|what (has|needs) to (be done|happen)|and when|reihenfolge|zeitbedarf|wie gehe ich vor|cada (mes|semana|día)|en (seis|tres|dos|\\d+) (meses|semanas)|every (week|month|day)|per week|next quarter|goals? for|okrs?|backlog|kickoff|hand.?over|volunteers|moving (to|from)|relocat~|renovat~|wedding|conference|fair|festival|expedition|road trip|hike|training|semester plan|curriculum|syllabus|lesson plan',
  ),
  rule(
    'research_report',
    4,
    'übersicht|marktübersicht|anbieter|ausblick|regeln|consequences|eight pages|references please|published about|analysis of|pages|give an overview|überblick|panorama|dossier|thesis|current research|gaps|outlook|main players|manufacturers|apa|footnotes|bibliograph~|systematic|trends? by country|collect|surveys and|study of|causes of|words,|ausführlich~|vergleiche|quellen|étude|rapport|comparaison|estudio|comparativa|ricerca|studio|confronto|porównanie|badani~|case studies|methodology|peer.?reviewed|policy|regulation~|history and|overview of (the|research|current)|analysis of the',
  ),
  rule(
    'summarization',
    4,
    "sum (this|it|that) up|sum up|highlights of|essentials|essential points|for my boss|shorten this (transcript|article|report)|kernaussagen|kurz zusammen|nutshell|bullet points|wrap up|overview|brief me|overview of the (attached|following|above)|important (statements|points)|most important|make this shorter so|(attached|following|pasted) (text|article|paper|chapter|transcript|report|document)|worum geht|kernaussage~|in zwei sätzen|in (wenigen|drei|kurzen) |kurz gesagt|de quoi (parle|s'agit)|en (deux|trois|quelques) phrases|points (clés|principaux)|puntos (principales|clave)|en (dos|tres|pocas) (frases|palabras|líneas)|de qué (trata|va)|punti (principali|chiave)|in (due|tre|poche) (frasi|parole|righe)|di cosa parla|w (kilku|dwóch|trzech) zdaniach|o czym jest|minutes of|digest|tl dr|long story short|cliff ?notes|synopsis|plot summary",
  ),
  rule(
    'translation',
    6,
    `que veut dire|qué significa|che significa|was heißt|co znaczy|что значит|en français|auf deutsch|in italiano|i need this in|correct translation|gute \\p{L}+[”»] auf|what is [“"«][^"”»]+[”"»] in|cómo se dice|come si dice|comment (dit|dire)-?.{0,20} (en|in)|wie (sagt|heißt) .{1,60} auf|jak (jest|powiedzieć|się mówi) .{0,40}po|как (сказать|будет)|翻成|译成|訳して|what (is|does|did) (he|she|this|it|they) (say~|mean)|(auf|in) (spanisch|englisch|französisch|deutsch|italienisch|polnisch|russisch|türkisch) (schreib~|übersetz~)?|en (inglés|francés|alemán|italiano|portugués|anglais|allemand|espagnol)|in (inglese|tedesco|francese|spagnolo)|po (angielsku|niemiecku|polsku|francusku)|in(to)? (french|german|spanish|italian|dutch|polish|japanese|chinese|portuguese|turkish|arabic|russian|korean|swedish) (pls|please)?|bilingual|native equivalent|leave the keys`,
  ),
  rule(
    'extraction',
    5,
    'list every|every \\p{L}+ mentioned|mentioned in|return only|welche .{0,20}(termine|daten|namen|beträge) |stehen in|only the .{0,30}(numbers|names|dates)|pull (names|dates|numbers)|list who|who has to do what|csv of|table of (all|the)|turn this .{0,40}into \\{|\\{\\s?[“"]?\\w+[”"]?,|what(\'s| is) the (iban|total|date|number|address|amount|name|price|deadline) in|all (hashtags|urls|links|names|dates|numbers|e-?mails)|one per line|zieh~? .{0,60}aus|telefonnummern|récupère|relève|sors(-moi)?|saca|copia (los|las)|tira fuori|elenca|wypisz|find (all|every)|schema:|columns:|populate|unten|below',
  ),
  rule(
    'classification',
    5,
    'yes/no|ja/nein|gehört dieser|does this (tweet|post|mail) |zu (recht|technik|sport|politik)|belongs? to|which department|as question|or complaint|positive|negative|talk about|urgent\\?|clickbait|hate speech|offensive|or not\\?|map (these|the|each)|(fröhlich|wütend|traurig)|stimmung|welche (kategorie|sprache)|à quelle catégorie|quelle (catégorie|langue)|qué (categoría|idioma)|quale (categoria|lingua)|jaka kategoria|(levels?|labels?|classes) (\\p{L}+, ){2,}|true or false|does (this|the) (sentence|text|message|email|review) (contain|mention|ask|express)|is (this|the) (message|email|review|tweet|sentence|comment|headline|text) |personal data|for each (headline|sentence|line|item)|seniority|tone of this|positive or|formal or informal',
  ),
  rule(
    'rewriting',
    5,
    "please correct|correct my (french|english|german|spanish|italian|text)|drück .{0,30} aus|freundlicher|netter|less boring|isn'?t led|neutral(ly)?|more (natural|engaging|neutral)|ausdrücken|formulieren|korrigieren|verbessern|less (corporate|aggressive|formal|wordy|salesy)|moins (agressif|formel|long)|menos (agresivo|formal)|meno (aggressivo|formale)|the limit is|word limit|character limit|without dropping|cut it|would a native|a native (put|say)|commas|typos? only|don'?t touch|flüssig~|stichpunkt~ einen|mach (aus|das|den|diesen) .{0,60}|ton (plus|moins)|tono (más|menos)|rends (ce|cette)|haz (que|este)|flesh out|expand this|elaborate on this|tighten|smooth|readab~|simplify (this|the) (text|sentence|paragraph|language)|my (abstract|essay|letter|email|text|paragraph|bio|cv|resume|statement)",
  ),
  rule(
    'small_talk',
    4,
    "wie war dein|how was your|favou?rite (movie|song|food|book|animal)|thank you so|you'?re the best|what are you (doing|up to)|movie\\?|tell me about yourself|morning|evening|gn8|g'?night|sleep well|sweet dreams|talk tomorrow|see ya|ttyl|later!|weekend\\?|how was|do you (prefer|know me|remember me|speak)|you know a lot|you'?re (smart|right|welcome|kind)|comment tu t'appelles|wie heißt du|cómo te llamas|come ti chiami|jak masz na imię|ich bin .{0,20}(müde|traurig|froh|krank)|i'?m (so )?(tired|happy|sad|sleepy|hungry|back)|same here|no worries|never mind|just kidding|cats or dogs|xd|:D|;\\)|👋|😀|😂|❤️",
  ),
];
