import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describeError, fail, ok, skipped, warn } from './check.ts';
import type { Check } from './check.ts';
import type { FileText } from './judge-keys.ts';

export type TlsFacts = {
  cert: FileText;
  key: FileText;
  ca: FileText;
  /** Name by which callers reach the service; undefined if it is unknown. */
  service: string | undefined;
  now: Date;
};

const NAME = 'tls';
const DAY_MS = 86_400_000;
/** Time before the expiry at which a certificate should have been renewed. */
const RENEW_BEFORE_DAYS = 14;
const CHAIN_MAX = 10;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const RENEW = 'Renew the certificate: the service rereads its files every 10 s, without a restart.';

/** Judges the certificate with which a service calls others and is called. */
export const judgeTls = (facts: TlsFacts | undefined): Check[] => {
  if (facts === undefined) return [skipped(NAME, 'WITAN_TLS_CERT_FILE is not set')];
  const unreadable = [facts.cert, facts.key, facts.ca].flatMap((one) =>
    'error' in one ? [`${one.file}: ${describeError(one.error)}`] : [],
  );
  if (unreadable.length > 0) {
    const advice = 'Correct the paths of WITAN_TLS_CERT_FILE, _KEY_FILE and _CA_FILE.';
    return [fail(NAME, { message: unreadable.join('; '), advice })];
  }
  try {
    const [certs, authorities] = [facts.cert, facts.ca].map(parseCertificates);
    const [leaf, ...intermediates] = certs!;
    const key = createPrivateKey(textOf(facts.key));
    return [
      judgeKey(leaf!, key),
      judgeChain(leaf!, [...intermediates, ...authorities!], authorities!),
      judgeExpiry([...certs!, ...authorities!], facts.now),
      judgeNames(leaf!, facts.service),
    ];
  } catch (error) {
    const advice = 'Write certificates and keys as PEM, certificates of a chain one after another.';
    return [fail(NAME, { message: describeError(error), advice })];
  }
};

const textOf = (file: FileText): string => ('text' in file ? file.text : '');

const parseCertificates = (file: FileText): X509Certificate[] => {
  const found = textOf(file).match(PEM);
  if (!found) throw new Error(`${file.file} has no certificate in PEM.`);
  return found.map((pem) => new X509Certificate(pem));
};

const judgeKey = (leaf: X509Certificate, key: ReturnType<typeof createPrivateKey>): Check => {
  const name = `${NAME} key`;
  if (leaf.checkPrivateKey(key)) return ok(name, 'belongs to the certificate');
  const message = 'WITAN_TLS_KEY_FILE is not the private key of WITAN_TLS_CERT_FILE.';
  return fail(name, { message, advice: 'Mount both from the same Secret.' });
};

const judgeChain = (
  leaf: X509Certificate,
  issuers: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): Check => {
  const name = `${NAME} chain`;
  let current = leaf;
  for (let length = 0; length < CHAIN_MAX; length += 1) {
    if (authorities.some(({ fingerprint256 }) => fingerprint256 === current.fingerprint256)) {
      return ok(name, `leads to ${oneLine(current.subject)}`);
    }
    const subject = current;
    const issuer = issuers.find((one) => subject.checkIssued(one) && subject.verify(one.publicKey));
    if (!issuer || issuer.fingerprint256 === current.fingerprint256) break;
    current = issuer;
  }
  const message = `${oneLine(current.subject)} is issued by ${oneLine(current.issuer)}, not known.`;
  const advice = 'Add intermediates to WITAN_TLS_CERT_FILE, or the authority to WITAN_TLS_CA_FILE.';
  return fail(name, { message, advice });
};

const oneLine = (distinguishedName: string): string => distinguishedName.replaceAll('\n', ', ');

const judgeExpiry = (certificates: readonly X509Certificate[], now: Date): Check => {
  const name = `${NAME} expiry`;
  const early = certificates.find(({ validFromDate }) => validFromDate > now);
  if (early) {
    const message = `${oneLine(early.subject)} is valid from ${early.validFromDate.toISOString()}.`;
    return fail(name, { message, advice: 'Check the clock of this machine.' });
  }
  const [first] = certificates.toSorted((a, b) => +a.validToDate - +b.validToDate);
  const { validToDate: end, subject } = first!;
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  const message = `${oneLine(subject)} ${days < 0 ? 'expired' : 'expires'} ${end.toISOString()}`;
  if (days < 0) return fail(name, { message: `${message}.`, advice: RENEW });
  if (days < RENEW_BEFORE_DAYS) return warn(name, { message: `${message}.`, advice: RENEW });
  return ok(name, `${message}, in ${days} days`);
};

const judgeNames = (leaf: X509Certificate, service: string | undefined): Check => {
  const name = `${NAME} names`;
  const names = leaf.subjectAltName ?? '';
  if (service === undefined) return skipped(name, `the service is unknown; ${names || 'no names'}`);
  const isNamed = names
    .split(', ')
    .some((one) => one.replace(/^DNS:/, '').split('.')[0] === service);
  if (isNamed) return ok(name, names);
  const message = `The certificate is for ${names || 'no name'}, not for ${service}.`;
  return fail(name, { message, advice: `Issue it for the DNS name ${service}.` });
};
