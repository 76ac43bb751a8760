import { charTest, matchEnd } from '../structured/char-class.ts';
import { hashSet } from '../structured/word-hash.ts';

const DUMMY_VALUES = new Set(
  `null nil none true false undefined string number boolean str int object any required optional
   redacted masked hidden changeme placeholder example`.split(/\s+/),
);
const FILLER = /^(?:your[\w-]*|my[\w-]*|x{3,}|\*+|\.{3,}|-+|#+)$/i;
const REFERENCES: readonly RegExp[] = [
  /^(?:\$|<|\{\{|\[\[|%\(|\[[A-Z_ ]+\])/,
  /^(?:process\.env|os\.|env\.|secrets?\.|vault:|ref:)/,
  /^(?:\.{0,2}\/\w|[A-Z]:\\)/,
];

/**
 * Returns true for values that are not secrets, such as type names, variables, function calls and
 * asterisks.
 */
export function isDummyValue(value: string): boolean {
  if (DUMMY_VALUES.has(value.toLowerCase()) || FILLER.test(value)) return true;
  if (REFERENCES.some((form) => form.test(value)) || /^0x[0-9a-f]{1,8}$/i.test(value)) return true;
  if (value.includes(' ') && !/[\d!#$%&*+=?^_~]/.test(value)) return true;
  return /^[A-Za-z_][\w.]*\(/.test(value) || /^[a-z_]+(?:\.[a-zA-Z_]+)+$/.test(value);
}

const SAMPLE_LENGTH = 24;

/**
 * Returns true for values that look random: long, many distinct characters, and letters mixed with
 * digits or irregular capitals. Returns false for `sk-learn-something-long` and `camelCaseName`.
 */
export function isRandom(value: string): boolean {
  if (value.length < 12 || /\s/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // Counts the characters of a prefix first, because a set of all characters would dominate the
  // cost of the function.
  if (new Set(value.slice(0, SAMPLE_LENGTH)).size < Math.min(9, value.length * 0.5)) {
    if (new Set(value).size < Math.min(9, value.length * 0.5)) return false;
  }
  if (/\d/.test(value)) return true;
  const camelCaseBoundaries = value.match(/[a-z][A-Z]/g)?.length ?? 0;
  return camelCaseBoundaries >= 3 && value.length <= camelCaseBoundaries * 7;
}

/** Match at most 256 characters: a value without quotes and the marks after it. */
// oxlint-disable-next-line no-control-regex
const BARE_VALUE = /[^\u0000- "'`\u00a0,;<|\u3000]{0,256}/y;
// oxlint-disable-next-line no-control-regex
const QUERY_VALUE = /[^\u0000- "'`\u00a0,;<|\u3000&#)\]]{0,256}/y;
const isTrailingMark = charTest('.)]}\\');

/** Returns the end of a value without quotes; `isQuery` is true if it may be part of a URL. */
export function bareValueEnd(text: string, start: number, isQuery: boolean): number {
  let end = matchEnd(text, start, isQuery ? QUERY_VALUE : BARE_VALUE);
  while (end > start && isTrailingMark(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Last words of keys whose value is a password, even if it does not look random. */
export const PASSWORD_WORDS: ReadonlySet<number> = hashSet(
  `password passwd pass pwd passphrase passcode passwort kennwort contraseña contrasena clave senha
   passe wachtwoord lösenord lozinka heslo hasło haslo parola şifre sifre salasana
   pgpassword requirepass adgangskode jelszó пароль 密码 パス 비밀`,
);

/** Last words of keys whose value is a secret if it looks random. */
export const SECRET_WORDS: ReadonlySet<number> = hashSet(
  `secret token apikey apitoken accesskey secretkey privatekey authtoken accesstoken refreshtoken
   bearer credential credentials auth authorization geheimnis phpsessid
   jsessionid sig apisecret clientsecret`,
);

/** Words before `key` that make its value a secret: `api_key`, `accessKey`, `private-key`. */
export const KEY_QUALIFIERS: ReadonlySet<number> = hashSet(
  `api access secret private encryption signing master auth account storage subscription license
   app openai cohere anthropic mistral gemini groq deepseek functions function azure stripe sendgrid
   mailgun deploy jwt hmac cipher webhook shared token`,
);
