import { hashSet } from '../structured/word-hash.ts';

/** Last words of keys whose value is a password, whatever its form. */
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
