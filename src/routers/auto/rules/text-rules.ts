import { rule, type TaskRule } from './task-rule.ts';

const languages =
  'english|german|french|spanish|italian|portuguese|brazilian|dutch|polish|russian|ukrainian|chinese|mandarin|cantonese|japanese|korean|arabic|turkish|hindi|swedish|norwegian|danish|finnish|greek|czech|hungarian|romanian|latin|hebrew|vietnamese|thai|indonesian|deutsche?|französische?|englische?|spanische?|italienische?|polnische?|russische?|español|inglés|francés|alemán|portugués|anglais|allemand|espagnol|italien|néerlandais|inglese|tedesco|francese|spagnolo|inglês|angielski|niemiecki|английский|немецкий';

/** What is to be done with a text. */
export const textRules: readonly TaskRule[] = [
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
