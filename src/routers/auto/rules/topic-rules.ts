import { rule, type TaskRule } from './task-rule.ts';

/** What a text is about. */
export const topicRules: readonly TaskRule[] = [
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
