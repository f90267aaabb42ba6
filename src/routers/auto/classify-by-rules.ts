import { type CanonicalChat, type ContentPart, type Item, isSystem } from '../../core/request.ts';
import type { TaskTag } from '../../core/task-tags.ts';
import { codeRules, plainCodeRules, technology } from './rules/code-rules.ts';
import { rule, type TaskRule } from './rules/task-rule.ts';
import { vocabulary } from './rules/vocabulary.ts';

const languages =
  'english|german|french|spanish|italian|portuguese|brazilian|dutch|polish|russian|ukrainian|chinese|mandarin|cantonese|japanese|korean|arabic|turkish|hindi|swedish|norwegian|danish|finnish|greek|czech|hungarian|romanian|latin|hebrew|vietnamese|thai|indonesian|deutsche?|französische?|englische?|spanische?|italienische?|polnische?|russische?|español|inglés|francés|alemán|portugués|anglais|allemand|espagnol|italien|néerlandais|inglese|tedesco|francese|spagnolo|inglês|angielski|niemiecki|английский|немецкий';

/** What is to be done with a text. */
const textRules: readonly TaskRule[] = [
  rule(
    'translation',
    8,
    `translat~|übersetz~|tradui(s|re|sez)|traduc~|traduzi~|traduction|traducción|traduzione|tłumacz~|przetłumacz~|перевед~|перевод~|vertaal~|vertaling|çevir\\p{L}*|翻译|翻訳|用英语|用中文|用日语|英語に|英語で|日本語に|locali[sz]e|how (do|would|can|to) (you |i |one |we )?say|(say|put|turn|render) .{1,80} (in|into) (${languages})|(${languages}) (version|translation|for)|versión en|version (française|anglaise)|(auf|ins|aus dem) (${languages})|на (английский|немецкий|французский|русский)|mean in (${languages})|what does .{1,80} (mean|say) in|the (${languages}) (word )?for|into (${languages})`,
  ),
  rule(
    'translation',
    3,
    `in (${languages})|to (${languages})|from (${languages})|in \\p{L}+, what does|subtitles|pronunciation`,
  ),
  rule(
    'summarization',
    8,
    'summari[sz]~|summary|summaries|tl;?dr|tldr|key (points|takeaways|messages)|main (points|ideas)|takeaways|condense~|recap~|gist|boil (this|it|that) down|executive summary|abstract for|meeting minutes|into minutes|zusammenfass~|fass?e? .{0,80}zusammen|kurzfassung|résum~|synthétise~|resum(e|en|ir|a|o)|sintetiza~|riassum~|riassunto|sintesi|streść|streszcz\\p{L}*|podsumuj|кратко|резюмир~|сократи|samenvat~|özetle~|总结|概括|摘要|要約|まとめ',
  ),
  rule(
    'summarization',
    5,
    'in (a few|two|three|four|five|one|1|2|3|5|10) (sentences?|bullets?|bullet points|lines?|paragraphs?|words)|in one line|stichpunkt\\p{L}*|(what|where) is .{0,20}(text|article|thread|this) about|what did i miss|conclude|conclusions?|headline and|half a page|transcript|compte rendu|long (document|article|report)|(article|report|document|thread|chain|text|news) below',
  ),
  rule(
    'extraction',
    8,
    'extract~|extrahier~|extrai\\p{L}*|extrae\\p{L}*|extraer|estrai\\p{L}*|estrarre|wyodrębnij|wyciągnij|извлек\\p{L}*|pull (out )?(all |the |every )|parse (this|the|out|these)|named entit\\p{L}*|(as|into|return|output|in|en|im) json|json (only|object|array|with)|structured data|key.value|fill (in )?(these|the) fields|(get|give|find) (me )?(all|every|each|only the) .{0,40}(url|link|name|date|email|number|address|amount|mention)~|unique ip|list (all|every|only) |identify all|liste(r|z)? (toutes|tous)|hole? aus|alle .{0,40} heraus|提取|抽出',
  ),
  rule(
    'extraction',
    4,
    'invoice|receipt|e-?mails?|phone numbers?|addresses|entities|ingredients|quantities|fields?|null when|ids?|names?|dates?|deadlines?|amounts?|quotes?|mentioned|contained?|contains?|number in this|from (this|the|these) (text|letter|cv|resume|page|signature|e-?mail|notes|log|article|report)|in (this|the) (text|letter|page|log)|aus dem text|dans ce texte|dal testo|del siguiente|specs|action items|read the log',
  ),
  rule(
    'classification',
    8,
    'classif~|klassifizier~|clasifica~|classe[rz]?|sklasyfikuj|categori[sz]e|kategorisier~|ordne .{0,60} zu|label (this|these|each|the|every)|sentiment|sentimento|sentimiento|stimmung dieses|(positive|negative|neutral|positif|positiv|positivo|pozytywn\\p{L}) ?(,|or|/|oder|o|ou|czy) ?(negative|neutral|négatif|negativ|negativo|positive)|spam|phishing|which (category|label|intent|class|topic|one of)|which of (these|the following) (categories|labels)|assign .{0,40}(category|label|tag|priority|class|severity|code)|(answer|reply|respond|antworte|responde|rispondi|réponds)( only| just)?( with)? (yes|no|ja|sí|sì|oui|a|true|the iso)|yes or no|true or false|toxic~|one of (the|these)|given the (labels|categories|intents)|tag this|sarcastic|sarcástico|分类|判断|分類|классифиц~|определи',
  ),
  rule(
    'classification',
    4,
    'categor~|kategorie~|labels?|tags?|intents?|urgent|priority|decide whether|is (this|the following|the claim|the) .{0,40}(or|\\?)|supported|refuted|rate .{0,40}(0|1|one) to|emotion|language is this|same thing|sort these|for (each|every) (line|sentence|ticket|message|comment)|好评|差评|review|message|ticket|incident',
  ),
  rule(
    'rewriting',
    7,
    'rewrite|re-?phrase|reword~|paraphrase|proof-?read|copy.?edit|formulier~ .{0,60}|umformulier~|umschreib~|korrigier~|verbesser~ .{0,40}(text|satz|mail|stil)|reformul~|corrige(z|r)?|corriger|correggi|corrija|mejora (la|el|este|mi)|mejorar la redacción|reescrib~|riscriv~|rendi (questo|il|la)|popraw\\p{L}*|przeredaguj|перепиши|исправь|herschrijf|düzelt|润色|改写|改得|修改|推敲|書き直して|(improve|fix|correct|check|mind|polish) .{0,40}(grammar|writing|wording|spelling|punctuation|tone|style|flow|sentence|paragraph|essay|english)|fix (the|my) (grammar|typos?)|(make|turn) (this|it|my|that|these) .{0,60}(sound|more|less|shorter|longer|clearer|formal|concise|polite|professional|friendly|plain|simpler|passive|active)|sounds? (natural|more|less|better|right)|(more|less) (formal|polite|casual|concise|professional)|höflicher|professioneller|plus (poli|formel|court|clair)|più (formale|professionale|gentile)|más (formal|amable|claro)|shorten|kürze~|cut (it )?(down )?to|passive voice|active voice|change the tense|past tense|(other|another|different|better) ways? to (say|phrase|put)|without losing|plain (language|english)',
  ),
  rule(
    'rewriting',
    4,
    'polish|grammar|wording|typos?|jargon|native speaker|too long|cover letter|vary|tone|proof|paragraph|essay|email sound',
  ),
  rule(
    'creative_writing',
    6,
    'poems?|poetry|haikus?|sonnets?|short stor(y|ies)|story|stories|fairy ?tales?|lyrics|song|ballad|shanty|limericks?|screenplay|novel|novella|once upon|fan ?fiction|monologues?|dialogue|fables?|myth|chapter|scene|verse|quatrain|bedtime|villanelle|epic|gedichte?|geschichte (über|von)|kurzgeschichte|märchen|erzählung|nouvelle|poème|conte|histoire (d|sur)\\p{L}*|récit|cuento|poema|relato|racconto|poesia|filastrocca|favola|conto|história|wiersz|bajk\\p{L}|opowiadanie|стих\\p{L}*|сказк\\p{L}*|рассказ|gedicht|verhaal|şiir|masal|诗|小说|故事|童话|小説|物語|詩|俳句',
  ),
  rule(
    'creative_writing',
    3,
    'characters?|plot|fiction|rhym~|fantasy|dragon|protagonist|heroine|hero|villain|in the style of|invent|imagine|describe a|all senses|detective|horror|continue|finish this|opening|set in|ghost|night',
  ),
  rule(
    'marketing_copy',
    7,
    'marketing|ad copy|ads?|advert~|slogans?|tag ?lines?|landing page|hero text|product descriptions?|produktbeschreibung|newsletter|seo|meta description|social media|instagram|linkedin|facebook|tiktok|tweets?|twitter|campaign|call to action|headlines?|google ads|press release|pressemitteilung|subject lines?|copywrit~|promot~|sales (page|pitch|email)|cold (e-?)?mail|captions?|hashtags?|flyers?|brochure|radio spot|brand story|packaging|about page|werbe~|anzeige(ntext)?|publicit~|annonce~|accroche|anuncio|publicidad|redes sociales|annuncio|pubblicit~|descrizione accattivante|accattivante|reklam~|hasło|реклам~|слоган|文案|广告|推广|小红书|キャッチコピー|広告',
  ),
  rule(
    'marketing_copy',
    3,
    'brand|audience|zielgruppe|launch~|announc~|catchy|engaging|blog post|benefits first|hook|thread|win.?back|freelancers|max(imum)? \\d+ (characters|words)|product|opening|store|shop|sign up|customers|playful|variants',
  ),
  rule(
    'roleplay',
    8,
    "role.?play\\p{L}*|rollenspiel|jeu de rôle|juego de rol|gioco di ruolo|pretend|act as|act like|acting as|you play|play the (part|role)|joue (le rôle|un)|spiel(e|st)? (die rolle|einen|eine)|actúa|haz de|fingi|fai finta|recita|finja|udawaj|wciel się|представь,? что ты|притворись|stel je voor dat je|imagine you('re| are)|from now on you|you('re| are) now|you('re| are) (a|an|my|the) .{0,60}(pirate|captain|wizard|detective|knight|vampire|bartender|dragon|elf|witch|king|queen|ghost|innkeeper|merchant|interviewer|alien|robot|teacher|dealer)|du bist (ein|eine|mein|jetzt)|tu es (un|une|mon)|eres (un|una)|sei (un|una)|jesteś|in character|never break|dungeon master|text adventure|simulate a|answer as|reply as|be my|be the|be a|as if you were|interview me|你现在是|扮演|假装|になりきって|として振る舞",
  ),
  rule('roleplay', 6, '\\*[a-z ]{3,60}\\*'),
  rule(
    'roleplay',
    3,
    'captain|wizard|pirate\\p{L}*|innkeeper|my lord|sire|tavern|stay in|one question at a time|you start|thief|you describe|i decide',
  ),
  rule(
    'brainstorming',
    7,
    'brainstorm~|ideas?|ideen|idées?|idee|pomysł\\p{L}*|идеи|ideeën|fikir\\p{L}*|suggest~ .{0,40}(names?|themes?|titles?|ways|topics|activities)?|suggestions?|vorschläge|sugerencias|suggerimenti|names? for|namen für|einen namen|noms? pour|nombres? para|nomi per|name ideas|come up with|think of|think up|creative ways|unusual ways|different ways to|what (could|else could|can) (i|we|one) (do|make|sell|build|use)|what (small )?\\p{L}+ could (i|we)|other uses|uses for|how might we|wild ideas|codename|code ?name|alternatives for|(ten|five|10|20|15|12|fifteen|twenty|some|a few|several) .{0,30}(names|titles|topics|ideas|questions|hypotheses|ways|gifts|themes)|themes for|gift|geschenk~|cadeaux?|regalos?|icebreakers?|主意|点子|想.{0,4}个|建议.{0,4}名|アイデア|名字',
  ),
  rule(
    'brainstorming',
    3,
    'names?|themes?|creative|funny|witzig|party|event|features that|hypothes[ie]s|nobody has|topics?',
  ),
];

/** What a text is about. */
const topicRules: readonly TaskRule[] = [
  rule(
    'math',
    6,
    'solve|equations?|integrals?|integrate|derivatives?|differentiate|theorem|matrix|matrices|eigen\\p{L}+|probabilit\\p{L}+|polynomials?|calculus|algebra~|geometry|factori[sz]e|modulo|mod \\d+|primes?|prime numbers?|limits? of|lim|quadratic|logarithms?|permutations?|combinat\\p{L}+|how many ways|trigonomet\\p{L}+|prove|proof|show that|irrational|abelian|group of order|expected (number|value)|square root|cube root|perimeter|area of|volume of|hypotenuse|consecutive|divisib\\p{L}+|remainder|fractions?|gleichung\\p{L}*|wahrscheinlichkeit|ableitung|integral|beweis\\p{L}*|würfel\\p{L}*|wurzel|dérivée|intégrale|équation|probabilité|démontr\\p{L}+|résou\\p{L}+|calcule[rz]?|ecuaci\\p{L}+|derivada|resuelve|demuestra|sistema:|probabilidad|equazion\\p{L}+|derivata|perimetro|rettangolo|triangol\\p{L}|dimostra|równani\\p{L}|pochodn\\p{L}|prawdopodobieństwo|уравнени\\p{L}+|производн\\p{L}+|вероятност\\p{L}+|求解|方程|极值|导数|积分|概率|求函数|証明|方程式|確率',
  ),
  rule(
    'math',
    5,
    '\\d+ ?(%|percent|prozent|pour cent|por ciento) (of|von|de|discount|off)|x ?\\^ ?2|[a-z] ?\\^ ?\\d|\\d+ ?[-+*/^] ?\\d+ ?= ?\\??|\\d ?[xy] ?[-+=]|\\\\?(frac|int|sum)|ln\\(|sin\\(|\\d+ ?(km/h|mph)|\\p{L}\\(x\\) ?=|x ?[²³]',
  ),
  rule(
    'math',
    3,
    'calculate|compute|triangles?|circle|rectangle|sum of|average|divided|radius|angle|sides?|dice|how (much|far|many|fast)|discount|odds|train',
  ),
  rule(
    'data_analysis',
    6,
    "datasets?|csv|regression|correlat\\p{L}+|data ?frames?|a/b tests?|statistical\\p{L}*|p.value|standard deviation|std err|r-squared|outliers?|time series|cohorts?|histograms?|clustering|churn\\p{L}*|retention|conversions?|forecast~|seasonal\\p{L}*|sample size|significan\\p{L}+|simpson'?s|segment (these|the|our)|pivot|analy[sz]e (this|the|these|our|my)|analysiere|umfrage\\p{L}*|auswert\\p{L}+|analyse[rz]? (ces|les|mes|cette)|données|analiza\\p{L}*|datos|tendencia|ventas|analizza|risultati|questionario|dati di|przeanalizuj|проанализируй|данны\\p{L}|分析趋势|数据|分析|データ|グラフ",
  ),
  rule(
    'data_analysis',
    4,
    'trends?|data|metrics|spreadsheets?|excel|charts?|surveys?|kpis?|sales|seasonal|interpret~|what do you see|distribution|samples?|columns|quarters?|underperform\\p{L}*|region|visitors|drives|power|per group|monthly|figures|compare .{0,30}(with last|year)',
  ),
  rule(
    'science',
    6,
    'quantum|quanten~|quantique|cuántic\\p{L}|photosynthes[ei]s?|photosynthese|fotosínt\\p{L}+|molecul\\p{L}+|chemical\\p{L}*|chemistry|chimi\\p{L}+|chemi\\p{L}+|physics|physik\\p{L}*|physique|física|fisica|biolog\\p{L}+|dna|rna|mrna|protein folding|enzymes?|thermodynamic\\p{L}*|relativity|black holes?|evolution\\p{L}*|mitochondri\\p{L}+|mitosis|meiosis|neurons?|neutron\\p{L}*|isotopes?|entropy|entropie|crispr|genome|genes?|genetic\\p{L}*|electrons?|protons?|photons?|gravit\\p{L}+|galax\\p{L}+|stars?|universe|universum|univers|cosmo\\p{L}+|ph of|hcl|h2o|co2|[a-z]{1,2}\\d[a-z]?\\d? ?(\\+|->)|noble gas\\p{L}*|acid|tectonic\\p{L}*|earthquakes?|terremotos?|volcan\\p{L}+|tides?|planets?|orbit\\p{L}*|moon|speed of light|virus(es)?|bacteria|antibiotics|cells?|zell\\p{L}+|cellule|célula|atom\\p{L}*|volcan|fossil\\p{L}*|dinosaurs?|量子|物理|化学|生物|光合|細胞|宇宙|физик\\p{L}*|хими\\p{L}*|вселенн\\p{L}+',
  ),
  rule(
    'science',
    3,
    'why (is|are|do|does) (the )?(sky|ice|water|leaves|light|sound|metal|sun|air|heat|magnets?)|light|wave|particle|energy|experiment|species|climate|scientific|hypothesis|ocean|vacuum|heavier|fall faster|animals|birds|oiseaux|vögel|pájaros|temperature|pressure|atmosphere',
  ),
  rule(
    'qa_knowledge',
    4,
    'capital (of|city)|hauptstadt|capitale|capital de|首都|who (was|is|wrote|invented|won|painted|discovered|founded|built)|wer (hat|war|ist)|qui (a|est|était)|quién|chi (ha|è|era)|kto (napisał|był|wynalazł)|кто|谁|誰|what year|which year|in which year|en qué año|année|when (was|did|were)|where (is|was|did|does)|(tallest|longest|largest|biggest|smallest|highest|oldest|deepest) |(plus|größte|längste|höchste) \\p{L}+|世界上|最高|最大|how (tall|high|old|long|big|many) (is|are|was|does)|how many (countries|time zones|people|states|planets|players)|cuántos|combien de|wie viele|difference between|unterschied zwischen|meaning of|history of|definition of|what does the word|plural of|name the|tell me about|invented|erfunden|inventé|painted|war|king of|queen of|president of|tradition|celebrate|fall\\?|released|quelle est|quel est|qual è|was ist|qué es|cuál es|là gì|是哪|是什么|どこ|何ですか',
  ),
  rule(
    'research_report',
    8,
    'research (report|paper|on)|literature review|in.depth|indepth|deep dive|comprehensive|thorough|(write|prepare|create|compile|give me|produce) (me )?(a|an|the) (\\p{L}+ )?(report|overview|briefing|background paper|white ?paper|survey|dossier)|white ?paper|market (research|analysis|study)|competit\\p{L}+ (landscape|analysis)|landscape|state of the art|state of|survey of|with (sources|citations|references)|cite|meta.?anal\\p{L}+|what does the evidence|how good the evidence|due diligence|academic tone|background paper|briefing|bericht über|ausführlich\\p{L}*|marktanalyse|studie über|étude de marché|rapport (complet|détaillé|sur)|avec (des )?(chiffres|sources)|informe (completo|detallado|sobre)|con (referencias|fuentes)|estudio de mercado|relazione (approfondita|dettagliata|su)|bibliografia|approfondit\\p{L}|raport|analiza rynku|отчёт|отчет|исследовани\\p{L}+|研究报告|行业研究|综述|調査|レポート|investigate|find out everything',
  ),
  rule(
    'research_report',
    4,
    'report|research|compare .{1,80}across|sources|evidence|findings|studies|detailed|structured document|open questions|players|obstacles|chiffres|quellen|fuentes|数据来源|pages',
  ),
  rule(
    'customer_support',
    7,
    "my (order|parcel|package|account|subscription|delivery|refund|gift card|router|invoice|plan|card was|booking)|refund~|cancel my|subscription|tracking number|hasn'?t arrived|nothing arrived|customer (service|support)|(was|been|got) charged|return (policy|this|the|an)|warranty|reset my password|billing|support ticket|shipment|(do you|you) ship|deliver\\p{L}* address|can'?t log ?in|complaint|replacement|log ?in to|payment declined|order #?\\d+|speak to a human|upgrade from|technician|internet since|promo code|checkout|bestellung|umtausch\\p{L}*|rückerstatt\\p{L}*|konto|passwort|kündig\\p{L}+ .{0,20}(abo|vertrag)|lieferung|ma commande|j'ai commandé|commande|remboursement|échange|mon compte|mi pedido|hice un pedido|pedido|reembolso|mi cuenta|il mio ordine|ordine|abbonamento|disdire|rimborso|moje konto|zalogować|zamówieni\\p{L}|zwrot|мой заказ|заказ|возврат|换货|退款|订单|快递|我买的|注文|返品",
  ),
  rule(
    'customer_support',
    4,
    'order|ordered|customers?|ticket|invoice|upgrade|store|e-?mail never|never comes|locked|deliver\\p{L}*|damaged|beschädigt|broken|ship|customs|vat|number \\d+|número \\d+|arrived|llegado|please send me|does not work',
  ),
  rule(
    'legal',
    7,
    "contracts?|clauses?|lawsuits?|liabilit\\p{L}+|gdpr|dsgvo|rgpd|copyright|trademark|patents?|ndas?|non.?disclosure|tenants?|landlord|lease|legal\\p{L}*|illegal|attorney|lawyer|solicitor|statute|jurisdiction|terms of (service|use)|indemnif\\p{L}+|evict\\p{L}+|non.?compete|sue|suing|court|inherit\\p{L}*|last will|privacy policy|intellectual property|cease and desist|force majeure|enforceable|agpl|gpl|license terms|notice period|give notice|governed by|binding|binds|impressum|vertrag\\p{L}*|kündigungsfrist|mietrecht|anwalt|rechtlich\\p{L}*|haftung|gesetz\\p{L}*|préavis|période d'essai|bail|avocat|juridique|droits?|contrat|herencia|contrato|abogado|demanda\\p{L}*|derechos|plazo|avvocato|contratto|diritti|legge|umow\\p{L}|prawnik|prawn\\p{L}+|adwokat|договор\\p{L}*|юрист\\p{L}*|законн\\p{L}+|劳动合同|赔偿|法律|合同|律师|違法|契約|法律",
  ),
  rule(
    'legal',
    3,
    'law|rights?|agreement|breach|license|employment|employer|regulation|complian\\p{L}+|sign|permission|claims?|conditions|rent',
  ),
  rule(
    'finance',
    7,
    'invest(ing|ments?|ors?|ir|ieren|ire)?|portfolio|stocks?|shares?|bonds?|mortgage|etfs?|401k|ira|roth|dividends?|interest (rates?)?|compound interest|balance sheet|cash ?flow|valuation|p/e|peg|tax(es|ed)?|retirement|pension|inflation|ebitda|dcf|credit (score|card)|hedg\\p{L}+|receivable|depreciation|budget|capital gains|loans?|npv|amorti[sz]\\p{L}+|leasing|emergency fund|savings? account|stock options|break.?even\\p{L}*|aktien|anleihen|steuer\\p{L}*|hypothek\\p{L}*|kredit|zinsen|geldanlage|impôts?|revenus|placement|épargne|emprunt|bourse|hipoteca|euríbor|impuestos|acciones|inversi\\p{L}+|ahorr\\p{L}+|préstamo|azioni|mutuo|tasse|banca|risparmi\\p{L}*|kredyt|lokat\\p{L}+|odset\\p{L}+|giełd\\p{L}+|podatk\\p{L}+|ипотек\\p{L}+|акци\\p{L}|кредит|налог\\p{L}*|理财|投资|股票|基金|贷款|投資|株',
  ),
  rule(
    'finance',
    3,
    'money|salary|debts?|bank|revenue|profit|prices?|market|fund|income|accounting|financial\\p{L}*|usd|eur|euros|rates?|cheaper|net|owe|pay off|cost of|rent|month',
  ),
  rule(
    'health',
    7,
    'symptom\\p{L}*|diagnos\\p{L}+|medicat\\p{L}+|dosage|blood (pressure|sugar|values|test)|head ?aches?|doctor|vaccin\\p{L}+|diabet\\p{L}+|cholesterol|ldl|ibuprofen|aspirin|paracetamol|sertraline|tablets|pregnan\\p{L}+|side effects?|vitamin\\p{L}*|therapy|allerg\\p{L}+|insomnia|fall asleep|rash|itchy|fever|antibiotic|anxiety|depress\\p{L}+|calories|workout|exercises|(knee|back|neck|shoulder|chest|stomach) pain|migraine|sore throat|concussion|fasting|pulse|heart rate|protein|stretch(ing)?|symptôme\\p{L}*|grossesse|médecin|douleur|fièvre|maladie|aliments|gripe|síntoma\\p{L}*|embarazo|médico|dolor|enfermedad|fieber|husten|arzt|schmerz\\p{L}*|schwanger\\p{L}*|krank\\p{L}*|sintom\\p{L}|medico|dolore|febbre|gravidanza|objaw\\p{L}*|lekarz\\p{L}*|ból|boli|niedob\\p{L}+|witamin\\p{L}*|симптом\\p{L}*|врач\\p{L}*|болит|лекарств\\p{L}+|疼痛|症状|医生|感冒|头痛|发烧|頭痛|薬',
  ),
  rule(
    'health',
    3,
    'pain|health\\p{L}*|diet|sleep|muscle|medical|treatment|disease|heart|patient|nutrition|weight|kg|hurts?|tired|vegan|safe|pills|sick|body|arms?|running|lift|food|cause',
  ),
];

/** Plans, wishes for advice, talk, and questions of any kind. */
const talkRules: readonly TaskRule[] = [
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
const toolRules: readonly TaskRule[] = [
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

/** How much of a long text is read: its beginning and its end, where people say what they want. */
const readAtStart = 2_000;
const readAtEnd = 1_000;
/** Below it a text says too little. */
const leastWeight = 2;
/** Instructions say something of the task, but less than the user. */
const shareOfInstructions = 0.5;
/** Several words of one rule say more than one, up to a limit. */
const mostSigns = 3;
const shareOfFurtherSigns = 0.4;
const weightOfTools = 4;
const mostCalls = 5;
const mostCode = 4;

/**
 * The kind of task by rules alone (docs/spec/routers.md#classification-by-rules): words, code fences and tools. Undefined where
 * nothing speaks for any. Nothing is kept of the text.
 */
export function classifyByRules(request: CanonicalChat): TaskTag | undefined {
  return classifyText(readTask(request));
}

/** What of a request says what its task is. */
export function readTask(request: CanonicalChat): ReadTask {
  return {
    text: lastUserText(request.items),
    instructions: request.instructions ?? systemText(request.items),
    hasTools: request.tools.length > 0,
    calls: request.items.filter(({ kind }) => kind === 'call').length,
  };
}

/** What rules read of a request. */
export interface ReadTask {
  readonly text: string;
  readonly instructions?: string;
  readonly hasTools?: boolean;
  /** How many calls of tools were made so far. */
  readonly calls?: number;
}

/** Like `classifyByRules`, for what was read of a request. */
export function classifyText({
  text,
  instructions = '',
  hasTools = false,
  calls = 0,
}: ReadTask): TaskTag | undefined {
  const read = excerptOf(text);
  const weights = new Map<TaskTag, number>();
  weigh(read, taskRules, 1, weights);
  if (instructions !== '') weigh(excerptOf(instructions), taskRules, shareOfInstructions, weights);
  weighCode(read, weights);
  if (hasTools) weighTools(read, calls, weights);
  return heaviest(weights);
}

/** Adds the weight of every rule that a text fits: more where it fits in several words. */
function weigh(text: string, rules: readonly TaskRule[], share: number, weights: Map<TaskTag, number>): void {
  for (const { tag, weight, sign } of rules) {
    const count = signsIn(text, sign);
    if (count > 0) add(weights, tag, weight * share * (1 + (count - 1) * shareOfFurtherSigns));
  }
}

/** How many different words of a text a sign finds, up to the most that count. */
function signsIn(text: string, sign: RegExp): number {
  let found: Set<string> | undefined;
  for (const [word] of text.matchAll(sign)) {
    found ??= new Set();
    found.add(word.toLowerCase());
    if (found.size === mostSigns) break;
  }
  return found?.size ?? 0;
}

/**
 * Kinds of work on code. Words that only occur where somebody programs always count, others where the text holds code or
 * speaks of it. Code without a word of what to do with it is a question about it, or wants more of it.
 */
function weighCode(text: string, weights: Map<TaskTag, number>): void {
  const own = new Map<TaskTag, number>();
  weigh(text, plainCodeRules, 1, own);
  const code = Math.min(mostCode, codeIn(text) + own.size * 2);
  if (code === 0) return;
  weigh(text, codeRules, 1, own);
  if (own.size === 0) own.set(/[?？]/.test(text) ? 'code:explanation' : 'code:generation', 1);
  for (const [tag, weight] of own) add(weights, tag, weight + code);
}

/** Tools that are offered mean a task for an agent; the more so the more were called. */
function weighTools(text: string, calls: number, weights: Map<TaskTag, number>): void {
  const own = new Map<TaskTag, number>();
  weigh(text, toolRules, 1, own);
  const called = Math.min(calls, mostCalls);
  const isCoding = (own.get('agent:coding') ?? 0) > (own.get('agent:tool_use') ?? 0);
  const tag = isCoding ? 'agent:coding' : 'agent:tool_use';
  add(weights, tag, weightOfTools + called + (own.get(tag) ?? 0));
}

function add(weights: Map<TaskTag, number>, tag: TaskTag, weight: number): void {
  weights.set(tag, (weights.get(tag) ?? 0) + weight);
}

/** How surely a text holds code or speaks of it, up to `mostCode`. */
function codeIn(text: string): number {
  if (text.includes('```')) return mostCode;
  const marks = signsIn(text, codeMarks) + signsIn(text, codeLines) * 2;
  return Math.min(mostCode, marks + signsIn(text, technology));
}

const codeLines =
  /^[ \t]{0,40}(?:def |class \w|function |const |let |import |#include|public |private |SELECT |return |for ?\(|if ?\(|while |fn |func |typedef |@@ |[}{][ \t]{0,9}$)/gmu;
const codeMarks =
  /=>|::|->|\b\w{1,40}(?:\(\w{0,40}\)|\[\w{1,40}\]|\.\w{1,40}\(|\((?:\w{1,40}, ?){1,8}\w{1,40}\))|\b[a-z]{1,40}[A-Z]\w|\w_\w|;[ \t]{0,9}$|&&|\|\||===?|!=|\bself\b|`[^`\n]{2,80}`|\(\) ?\{|<\w{1,40}>|\bfor \w{1,40} in\b|\bdef \w|\b[A-Z]{3}-\d{4}|\w\+\+|\d>&\d|--\w/gmu;

/** Of equals the one that reached its weight first. */
function heaviest(weights: ReadonlyMap<TaskTag, number>): TaskTag | undefined {
  let best: TaskTag | undefined;
  let most = 0;
  for (const [tag, weight] of weights) {
    if (weight < leastWeight || weight <= most) continue;
    best = tag;
    most = weight;
  }
  return best;
}

/** The beginning and the end of a text, where people say what they want. */
export function excerptOf(text: string): string {
  if (text.length <= readAtStart + readAtEnd) return text;
  return `${text.slice(0, readAtStart)}\n${text.slice(-readAtEnd)}`;
}

/** The text of the latest message of the user. */
function lastUserText(items: readonly Item[]): string {
  const message = items.findLast((item) => item.kind === 'message' && item.role === 'user');
  return message?.kind === 'message' ? textOf(message.content) : '';
}

function systemText(items: readonly Item[]): string {
  const found = items.find(isSystem);
  return found === undefined ? '' : textOf(found.content);
}

function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}

/** The rules that count for every text: what shall be done with a text, what it is about, and what kind of talk it is. */
const taskRules: readonly TaskRule[] = [...textRules, ...topicRules, ...talkRules, ...vocabulary];
