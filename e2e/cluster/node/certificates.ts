import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ADMIN_KUBECONFIG, API_URL, FOLDERS, NETWORK, NODES } from '../config.ts';
import { runCommand } from '../run-command.ts';

/** Folder of the cluster's keys and certificates. */
export const PKI = join(FOLDERS.settings, 'pki');
export const AUTHORITY = join(PKI, 'ca.crt');

const DAYS = '30';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export type CertificateRequest = {
  /** Name of the files `NAME.key` and `NAME.crt`. */
  name: string;
  /** In the form of openssl: `/O=group/CN=user`. */
  subject: string;
  /** Names of a server: `DNS:a,IP:b`. */
  names?: string;
};

/** Creates a key and a certificate of the cluster's authority for use as client and server. */
export const issueCertificate = async (
  { name, subject, names }: CertificateRequest,
  folder: string = PKI,
): Promise<void> => {
  const pathOf = (ending: string): string => join(folder, `${name}.${ending}`);
  const request = ['-keyout', pathOf('key'), '-out', pathOf('csr'), '-subj', subject];
  await runCommand(['openssl', 'req', ...NEW_KEY, ...request]);
  const extensions = [
    'extendedKeyUsage=serverAuth,clientAuth',
    ...(names === undefined ? [] : [`subjectAltName=${names}`]),
  ];
  await writeFile(pathOf('ext'), `${extensions.join('\n')}\n`);
  const authority = ['-CA', AUTHORITY, '-CAkey', join(PKI, 'ca.key'), '-CAcreateserial'];
  const files = ['-in', pathOf('csr'), '-out', pathOf('crt'), '-extfile', pathOf('ext')];
  await runCommand(['openssl', 'x509', '-req', ...authority, '-days', DAYS, ...files]);
};

const USERS: readonly CertificateRequest[] = [
  { name: 'admin', subject: '/O=system:masters/CN=admin' },
  { name: 'controller-manager', subject: '/CN=system:kube-controller-manager' },
  { name: 'scheduler', subject: '/CN=system:kube-scheduler' },
  { name: 'proxy', subject: '/CN=system:kube-proxy' },
  ...NODES.map(({ name, address }) => ({
    name,
    subject: `/O=system:nodes/CN=system:node:${name}`,
    names: `DNS:${name},IP:${address}`,
  })),
];

const API_NAMES = [
  'DNS:kubernetes.default.svc',
  'DNS:localhost',
  'IP:127.0.0.1',
  `IP:${NODES[0].address}`,
  `IP:${NETWORK.api}`,
].join(',');

/** Creates the authority, the keys of all components, and a kubeconfig for each. */
export const createCertificates = async (): Promise<void> => {
  await mkdir(PKI, { recursive: true, mode: 0o700 });
  const authority = [
    '-keyout',
    join(PKI, 'ca.key'),
    '-out',
    AUTHORITY,
    '-subj',
    '/CN=witan-cluster',
  ];
  await runCommand(['openssl', 'req', '-x509', ...NEW_KEY, '-days', DAYS, ...authority]);
  const components: CertificateRequest[] = [
    { name: 'apiserver', subject: '/CN=kube-apiserver', names: API_NAMES },
    { name: 'kubelet-client', subject: '/O=system:masters/CN=apiserver' },
    { name: 'front-proxy', subject: '/CN=front-proxy' },
  ];
  for (const request of [...components, ...USERS]) await issueCertificate(request);
  const rsa = ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'];
  const [privateKey, publicKey] = [join(PKI, 'sa.key'), join(PKI, 'sa.pub')];
  await runCommand(['openssl', 'genpkey', ...rsa, '-out', privateKey]);
  await runCommand(['openssl', 'pkey', '-in', privateKey, '-pubout', '-out', publicKey]);
  for (const { name } of USERS) await writeFile(kubeconfigOf(name), toKubeconfig(name));
};

export const kubeconfigOf = (user: string): string =>
  user === 'admin' ? ADMIN_KUBECONFIG : join(FOLDERS.settings, `${user}.conf`);

/** JSON, which is YAML too. */
const toKubeconfig = (user: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'cluster', cluster: { server: API_URL, 'certificate-authority': AUTHORITY } },
    ],
    users: [
      {
        name: user,
        user: {
          'client-certificate': join(PKI, `${user}.crt`),
          'client-key': join(PKI, `${user}.key`),
        },
      },
    ],
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user } }],
    'current-context': 'cluster',
  });
