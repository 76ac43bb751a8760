import { readFile } from 'node:fs/promises';
import type { ImageConfig } from '../images/open-root.ts';
import { listFiles } from './list-files.ts';
import type { ScannedFile } from './list-files.ts';

const SETUID_OR_SETGID = 0o6000;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
/** Larger files are not searched for keys: the Node executable, and no file of ours. */
const SEARCHED_BYTES_MAX = 8 * 1024 * 1024;

/** Libraries for TLS contain keys of their own tests. */
const ELF = '\x7FELF';
/** A header alone is no key: programs contain it as a constant. */
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+(?:[\w-]+: .*\s+)*[A-Za-z\d+/=]{40}/;
const SECRET_FILES = /\/(?:\.npmrc|\.netrc|\.git|\.env|[^/]+\.env|id_(?:rsa|ed25519|ecdsa))$/;
const TOOLS =
  /^\/(?:usr\/)?(?:local\/)?(?:s?bin)\/(?:npm|npx|yarn|yarnpkg|corepack|git|gcc|curl|wget)$/;
/** The content of /app: bundles, the licences in their comments, and the project's own. */
const APP_FILE = /^\/app\/(?:[\w-]+\.js(?:\.LEGAL\.txt)?|package\.json|LICENSE)$/;

type Rule = (file: ScannedFile) => string | undefined;

const isBelow = (file: ScannedFile, folder: string): boolean => file.path.startsWith(`${folder}/`);

const RULES: readonly Rule[] = [
  (file) =>
    file.isFile && (file.mode & SETUID_OR_SETGID) !== 0 ? 'is setuid or setgid' : undefined,
  (file) =>
    (file.isFile || (file.isFolder && (file.mode & STICKY) === 0)) &&
    (file.mode & WRITABLE_BY_ALL) !== 0
      ? 'is writable by every user'
      : undefined,
  (file) => (SECRET_FILES.test(file.path) ? 'may contain a secret' : undefined),
  (file) => (TOOLS.test(file.path) ? 'is a tool that the program does not use' : undefined),
  (file) =>
    isBelow(file, '/app') && !APP_FILE.test(file.path) ? 'is not part of a bundle' : undefined,
  (file) =>
    isBelow(file, '/app') && file.uid !== 0 ? 'can be changed by the running program' : undefined,
];

/** Returns what is wrong with the files of an image. Empty if nothing is. */
export const scanRoot = async (root: string): Promise<string[]> => {
  const files = await listFiles(root);
  const byRule = files.flatMap((file) =>
    RULES.flatMap((rule) => rule(file) ?? []).map((finding) => `${file.path} ${finding}.`),
  );
  if (!files.some(({ path }) => path === '/app/main.js')) byRule.push('/app/main.js is missing.');
  const keys: string[] = [];
  for (const { isFile, bytes, location, path } of files) {
    if (!isFile || bytes > SEARCHED_BYTES_MAX) continue;
    const text = await readFile(location, 'latin1');
    if (!text.startsWith(ELF) && PRIVATE_KEY.test(text)) {
      keys.push(`${path} contains a private key.`);
    }
  }
  return [...byRule, ...keys];
};

const SECRET_VARIABLE = /(?:PASSWORD|SECRET|TOKEN|_KEY|DATABASE_URL|NATS_URL)=./;

/** Returns what is wrong with the configuration of an image that should have these labels. */
export const scanConfig = (
  { User = '', Env = [], Entrypoint = [], Labels = {} }: ImageConfig,
  labels: Readonly<Record<string, string>>,
): string[] => [
  ...(/^[1-9]\d*(?::[1-9]\d*)?$/.test(User)
    ? []
    : [`The image runs as ${User || 'root'}, not as a numeric user other than root.`]),
  ...Env.filter((variable) => SECRET_VARIABLE.test(variable)).map(
    (variable) => `The image contains a value of ${variable.split('=')[0]}.`,
  ),
  ...(Entrypoint.join(' ') === 'node /app/main.js'
    ? []
    : [`The image starts ${Entrypoint.join(' ') || 'nothing'}.`]),
  ...Object.entries(labels)
    .filter(([name, value]) => Labels[name] !== value)
    .map(([name, value]) => `The label ${name} is ${Labels[name] ?? 'missing'}, not ${value}.`),
];
