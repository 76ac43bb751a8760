/**
 * Questions about the documents of this repository that share few words with the answer, in three
 * languages, each with the documents that answer it.
 */
export const QUESTIONS: readonly { text: string; documents: readonly string[] }[] = [
  // English
  ask(
    'Which picture of the browser interface suits somebody who has to sign off the accounts?',
    'docs/console.md',
  ),
  ask('What number tells me how much the advisers were of one mind?', 'docs/convergence.md'),
  ask('How do I move to a newer release while users keep working?', 'docs/upgrading.md'),
  ask('Can I put this on a cluster and how much hardware does each pod get?', 'docs/kubernetes.md'),
  ask(
    'Who could lie to me and how would I notice?',
    'docs/threat-model.md',
    'docs/transparency.md',
  ),
  ask('Where should I write if I discover a hole that an attacker could use?', 'SECURITY.md'),
  ask(
    'What happens to a request when the machine loses power halfway?',
    'docs/reliability.md',
    'docs/life-of-a-completion.md',
  ),
  ask(
    'Which third-party vendors behave strangely and what was done about it?',
    'docs/providers.md',
  ),
  ask('How does the business game compute next quarter’s earnings?', 'docs/simulation-model.md'),
  ask('How can my editor put a question to the panel?', 'docs/mcp-clients.md'),
  ask(
    'What stops a remote plug-in from swapping its behaviour after approval?',
    'docs/mcp-tools.md',
  ),
  ask(
    'Which line should I grep for when messages to my endpoint are not delivered?',
    'docs/telemetry.md',
  ),
  ask(
    'How are people’s names hidden before text goes to a vendor?',
    'libs/privacy/README.md',
    'apps/llm-gateway/README.md',
  ),
  ask(
    'Why is the machine busy for so many microseconds per request?',
    'docs/where-the-time-goes.md',
    'docs/performance.md',
  ),
  ask(
    'Step by step, what does the panel do between question and joint conclusion?',
    'docs/life-of-a-debate.md',
    'apps/agents/README.md',
  ),
  // German
  ask('Wie oft wird eine Nachricht an meinen Server erneut versucht?', 'apps/notifier/README.md'),
  ask(
    'Wie weise ich jemandem ohne Internet nach, dass eine Antwort echt ist?',
    'libs/proof/README.md',
    'README.md',
  ),
  ask(
    'Was bedeutet es, wenn die Berater sich nicht einig sind?',
    'docs/convergence.md',
    'docs/life-of-a-debate.md',
  ),
  ask('Wie baue ich die Container und prüfe, woher sie kommen?', 'docs/images.md'),
  ask('Welche Fachwörter benutzt dieses Projekt?', 'docs/glossary.md'),
  ask(
    'Wie schätzt das Programm, wie viele Kunden es für ein Produkt gibt?',
    'docs/life-of-a-market-analysis.md',
    'apps/simulation/README.md',
  ),
  ask('Wo sehe ich, welche Teile des Programms nicht getestet sind?', 'docs/coverage.md'),
  ask('Wie gewöhne ich mich in einer Viertelstunde an alle Funktionen?', 'docs/tour.md'),
  ask('Wie wird der Verbrauch eines Mandanten abgerechnet?', 'apps/ledger/README.md'),
  ask('Was merkt sich ein Berater über frühere Gespräche?', 'apps/agents/README.md'),
  ask('Wie finde ich heraus, welche Datei ich für eine Änderung öffnen muss?', 'ARCHITECTURE.md'),
  ask(
    'Wie werden Anfragen zwischen den Formaten zweier Anbieter übersetzt?',
    'libs/dialects/README.md',
  ),
  ask(
    'Wie misst man die Geschwindigkeit so, dass andere Programme auf dem Rechner nicht stören?',
    'benchmarks/README.md',
  ),
  ask('Wie füge ich der Weboberfläche eine weitere Seite hinzu?', 'apps/console/README.md'),
  ask('Wer bezeugt, dass allen Lesern dieselbe Geschichte gezeigt wird?', 'docs/transparency.md'),
  // Spanish
  ask(
    '¿Cómo limito cuántas peticiones puede hacer una clave por minuto?',
    'apps/api-gateway/README.md',
    'docs/spec.md',
  ),
  ask(
    '¿Qué pasa si el proveedor del modelo no responde?',
    'apps/llm-gateway/README.md',
    'docs/life-of-a-completion.md',
  ),
  ask('¿Cómo se decide qué modelo contesta cuando no elijo ninguno?', 'apps/llm-gateway/README.md'),
  ask(
    '¿Cómo comparten los servicios las conexiones, los registros y la configuración?',
    'libs/service-kit/README.md',
  ),
  ask(
    '¿Qué recorre un turno del juego de empresas desde que se pulsa avanzar?',
    'docs/life-of-a-turn.md',
    'apps/simulation/README.md',
  ),
  ask('¿Qué códigos de error puede recibir un programa cliente?', 'docs/spec.md'),
  ask('¿Cómo encuentra el sistema el párrafo adecuado de mis documentos?', 'apps/agents/README.md'),
  ask(
    '¿Qué no demuestra la firma de una respuesta?',
    'docs/threat-model.md',
    'libs/proof/README.md',
  ),
  ask(
    '¿Cómo se sustituyen los datos personales y vuelven después a la respuesta?',
    'libs/privacy/README.md',
    'apps/llm-gateway/README.md',
  ),
  ask(
    '¿Cómo cambio la clave con la que se firma sin parar el servicio?',
    'apps/ledger/README.md',
    'docs/threat-model.md',
  ),
  ask(
    '¿Cuánta memoria y procesador hace falta frente a un simple proxy?',
    'docs/performance.md',
    'docs/where-the-time-goes.md',
  ),
  ask(
    '¿Qué se encontró al probarlo como atacante y cómo quedó arreglado?',
    'docs/findings-2026-11.md',
  ),
  ask('¿Cómo instalo el gráfico de Helm y qué políticas de red lleva?', 'docs/kubernetes.md'),
  ask('¿Cómo simulo un cliente o una base de datos en las pruebas?', 'libs/testing/README.md'),
  ask(
    '¿Qué mensajes intercambian los servicios y dónde están definidos?',
    'libs/contracts/README.md',
    'ARCHITECTURE.md',
  ),
];

function ask(text: string, ...documents: string[]) {
  return { text, documents };
}
