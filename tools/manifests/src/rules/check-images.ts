import { isObject, textAt, titleOf } from '../manifest.ts';
import type { Json, Manifest } from '../manifest.ts';
import type { Rendered } from '../rendered.ts';

/**
 * Checks that images are pinned, that Witan's images with a tag are of this release, and that
 * manifests contain no secrets.
 */
export const checkImages = (rendered: Rendered, version: string): string[] => [
  ...rendered.workloads.flatMap(({ title, containers }) =>
    containers
      .map((container) => textAt(container, 'image'))
      .flatMap((image) => checkImage(image, version).map((finding) => `${title} ${finding}`)),
  ),
  ...rendered.manifests.flatMap(checkSecrets),
];

const IMAGE = /^(?<name>[\w./-]+?)(?::(?<tag>[\w.-]+))?(?:@sha256:(?<digest>[\da-f]{64}))?$/;

const checkImage = (image: string, version: string): string[] => {
  const { name = '', tag, digest } = IMAGE.exec(image)?.groups ?? {};
  if (digest) return [];
  if (!tag || tag === 'latest') return [`runs ${image}, which is not pinned.`];
  const isOurs = name.startsWith('witan/');
  return isOurs && tag !== version ? [`runs ${image}; this release is ${version}.`] : [];
};

const SECRET =
  /-----BEGIN [A-Z ]*PRIVATE KEY|:\/\/[^/\s:@]+:[^/\s@]+@|\bsk-[\w-]{16,}|\bwk_\w{16,}/;
const SECRET_NAME = /(PASSWORD|SECRET|_KEY|TOKEN|DATABASE_URL|NATS_URL)$/;

const checkSecrets = (manifest: Manifest): string[] => {
  const title = titleOf(manifest);
  if (manifest.kind === 'Secret') return [`${title} is in the manifests; only reference Secrets.`];
  return textsOf(manifest)
    .filter(({ name, text }) => SECRET.test(text) || (SECRET_NAME.test(name) && text !== ''))
    .map(({ name }) => `${title} contains a secret${name ? ` in ${name}` : ''}.`);
};

const textsOf = (value: Json): { name: string; text: string }[] => {
  if (typeof value === 'string') return [{ name: '', text: value }];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isObject(value)) return [];
  if (typeof value.name === 'string' && typeof value.value === 'string') {
    return [{ name: value.name, text: value.value }];
  }
  return Object.values(value).flatMap(textsOf);
};
