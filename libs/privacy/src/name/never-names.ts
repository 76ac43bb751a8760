/**
 * Technical abbreviations and languages that are frequent in prompts. On their own they are never
 * masked as names, even if the model predicts one.
 */
export const NEVER_NAMES: ReadonlySet<string> = new Set(
  `ATM ATMS BIC CEO CFO COO CTO CVV DIY DNA DOB GPS HR IBAN OTP PIN SSN TV VAT AGI AI AJAX AND
   ANSI API APIS ASAP ASCII ASK AWS BASH BOM BSON CDN CI CLI CORS CPU CRLF CRM CRUD CSS CSV DAG
   DDL DELETE DESC DNS DOCX DOM DRY DSL EOD EOF ERP ETA ETL FAQ FIXME FTP FYI GDPR GET GIF GPT
   GPU GROUP GUI HEAD HMAC HTML HTTP HTTPS IDE IMAP IMPORTANT INSERT INTO IP ISO JOIN JPEG JPG JS
   JSON JSONL JWT KPI KPIS LAN LATEX LF LIMIT LLM LLMS MCP MD ML MUST MVP NAN NDJSON NLP NOT NOTE
   NULL OCR OK OKR OKRS OPTIONS OR ORDER ORM OS PATCH PDF PDFS PHP PNG POST PPTX PR PRS PUT QA
   RAG RAM README REGEX REPL REST RFC ROI RPC RSA RSS SAAS SDK SELECT SEO SHA SLA SMTP SOAP SQL
   SSD SSE SSH SSL STT SVG TCP TLS TODO TSV TSX TTL TTS TXT UDP UI ULID UNION UPDATE URI URL URLS
   USB UTC UTF UUID UX VALUES VPN WARN WHERE WIP XLSX XML XSS YAML YML ZIP Arabic Bengali
   Bulgarian Catalan Chinese Croatian Czech Danish Dutch English Estonian Finnish French German
   Greek Gujarati Hebrew Hindi Hungarian Icelandic Indonesian Irish Italian Japanese Korean Latin
   Latvian Lithuanian Malay Mandarin Marathi Norwegian Persian Polish Portuguese Punjabi Romanian
   Russian Serbian Slovak Slovenian Spanish Swahili Swedish Tamil Telugu Thai Turkish Ukrainian
   Urdu Vietnamese Welsh`.split(/\s+/),
);
