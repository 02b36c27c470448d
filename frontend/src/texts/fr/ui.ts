import type { Texts } from '../language.svelte';
import { count } from './count';
import { list } from './list';
import { on, to } from './when';

const days = { MO: 'lundi', TU: 'mardi', WE: 'mercredi', TH: 'jeudi', FR: 'vendredi', SA: 'samedi', SU: 'dimanche' };
/** Before one and before several. */
const units = {
  DAILY: ['tous les', 'jours'],
  WEEKLY: ['toutes les', 'semaines'],
  MONTHLY: ['tous les', 'mois'],
  YEARLY: ['tous les', 'ans'],
  HOURLY: ['toutes les', 'heures'],
} as const;
const best = { energy: 'la plus sobre', cost: 'la moins chère', co2: 'la plus propre' };

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const ui: Texts['ui'] = {
  pages: {
    overview: 'Synthèse',
    plan: 'Planifier',
    reservations: 'Mes réservations',
    schedule: 'Planning',
    nodes: 'Nœuds',
    grid: 'Énergie',
    reports: 'Bilans',
    simulate: 'Simuler',
    account: 'Compte',
  },
  roles: { user: 'utilisateur', operator: 'opérateur', supplier: 'fournisseur' },
  header: {
    language: 'Langue',
    timeZone: 'Fuseau horaire',
    pages: 'Pages',
    usualZones: 'Habituels',
    allZones: 'Tous',
    signOut: 'Quitter',
  },

  copy: {
    copy: 'Copier',
    what: (button, label) => `${button} : ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
    copied: 'Copié.',
    selected: 'Le texte est sélectionné : copiez-le au clavier.',
  },
  lineChart: {
    endsAt: (line, value) => `${line} finit à ${value}`,
    words: (title, ends) => `${title}. ${ends.join(' ; ')}.`,
  },
  outcome: { takeBack: 'Annuler' },
  ownPage: {
    address: 'Adresse de cette page',
    copyAddress: 'Copier l’adresse',
    forbidden: (message) => `Cette page ne vous est pas accessible : ${message}`,
    missing: 'Rien ne porte ce nom, ou vous n’y avez pas accès : vérifiez que l’adresse est complète.',
    goTo: (page) => `Aller à « ${page} »`,
    reading: 'Lecture en cours…',
  },
  parts: {
    pages: 'Pages de la liste',
    pagesBelow: 'Pages de la liste, en dessous',
    before: '◀ Précédente',
    next: 'Suivante ▶',
    at: (all, page, pages) => `${all}, page ${page} sur ${pages}`,
  },
  powerChart: {
    label: 'Puissance des nœuds réservés sous le plafond de puissance.',
    hint: (withIdle, column) =>
      `Puissance maximale que les nœuds réservés peuvent consommer, sous le plafond${withIdle ? ' (nœuds au repos compris)' : ''}${column ? ` ; chaque colonne est le maximum sur ${column}` : ''}`,
    breach: (atTimes, during) => `Au-dessus du plafond ${atTimes ? 'par moments ' : ''}${during}`,
    breachMark: '▲ plafond dépassé',
    cap: 'plafond',
    noCap: 'plafond inconnu',
    saveAs: (zone) => `Puissance des nœuds réservés sous le plafond, fuseau ${zone}`,
    breached: (atTimes, spans, first) =>
      `La puissance réservée dépasse le plafond ${atTimes ? 'par moments ' : ''}${spans < 2 ? 'sur une période' : `sur ${spans} périodes`}, ${spans < 2 ? '' : 'd’abord '}${first} : le plafond a été abaissé après ces réservations.`,
  },
  project: {
    label: 'Projet',
    several: 'dont les quotas et les parts sont décomptés',
    only: (project) => `${project}, le seul`,
    choose: 'À choisir',
    unknown: 'vide : aucun, ou votre seul projet',
  },
  refusal: {
    byQuota: 'Un quota s’y oppose ; rien n’a été modifié.',
    planFor: (start) => `Planifier pour ${on(start)}, le prochain créneau permis par les quotas`,
  },
  repeat: {
    label: 'Répéter',
    firstTime: 'La première fois est celle ci-dessus.',
    every: { no: 'Jamais', day: 'Tous les jours', week: 'Toutes les semaines', month: 'Tous les mois', rule: 'Selon une règle…' },
    on: 'Le',
    rule: 'Règle',
    ruleHint: 'RFC 5545 : FREQ=WEEKLY;INTERVAL=2;BYDAY=MO',
    until: 'Jusqu’au',
    untilHint: 'le dernier jour',
    untilHintOfRule: 'le dernier jour ; vide si la règle a sa propre fin',
  },
  saveChart: {
    save: (title) => `Enregistrer : ${title}`,
    asPicture: 'Enregistrer comme image',
    asTable: 'Enregistrer comme tableau',
    failed: (why) => `L’image n’a pas pu être créée : ${why}`,
    noPictures: 'ce navigateur ne dessine pas d’images',
    tooLarge: 'ce navigateur ne crée pas d’images de cette taille',
  },
  signIn: {
    title: 'Connexion',
    signedOut: 'Vous êtes déconnecté, ou n’avez aucun droit ici. Reconnectez-vous, ou adressez-vous à un opérateur.',
    unknownToken: 'Le service ne connaît pas ce jeton, ou il a été révoqué.',
    at: (host) => `Se connecter avec ${host}`,
    orPasteBefore: 'Ou collez un jeton d’API ; un opérateur en crée un avec',
    pasteBefore: 'Ce service demande qui vous êtes. Collez votre jeton d’API ; un opérateur en crée un avec',
    pasteAfter: '.',
    token: 'Jeton',
    whereKept:
      'Le jeton reste dans cet onglet du navigateur et n’est envoyé qu’à ce service. Il est oublié quand vous fermez l’onglet ou vous déconnectez.',
    withToken: 'Se connecter avec le jeton',
    signIn: 'Se connecter',
  },
  sure: { keep: 'Non, garder' },
  timeFrame: { label: (picture) => `${picture} Les flèches du clavier déplacent le curseur.` },

  quantities: { price: 'Prix', co2: 'Intensité CO₂', power_cap: 'Plafond de puissance' },
  co2: {
    name: 'CO₂',
    words: { average: 'moyen', marginal: 'marginal', direct: 'direct', 'life-cycle': 'cycle de vie' },
    named: (name, counted) => `${name}, ${counted}`,
    figure: (name, amount) => `${name} : ${amount}`,
  },
  standings: {
    put: 'tel qu’annoncé',
    fresh: 'à jour',
    last_good: 'dernière valeur connue : la source a du retard',
    contract: 'selon le contrat',
    forecast: 'prévision de ce site',
    safe_mode: 'hypothèse prudente : aucune valeur connue',
  },
  booking: { offerChanged: 'L’offre a changé entre-temps ; rien n’est réservé.' },
  agendas: {
    asTable: 'Le calendrier est arrivé sous forme de tableau.',
    estimated: (value) => `${value} (estimé)`,
    dashed: 'Tirets : estimation de ce site.',
  },
  calendar: {
    summary: (nodes) => `Wattbook : ${count(nodes, 'nœud')}`,
    description: (nodes, energy, cost, co2, counted, id) =>
      `${nodes}\n${energy}, ${cost}, ${co2} de CO2${counted && ` (${counted})`}\nRéservation ${id}`,
  },
  feeds: {
    lights: { ok: 'À jour', failing: 'Dernier essai échoué', late: 'En retard', never: 'Encore rien reçu' },
    errors: {
      refused: 'Le prestataire a refusé la requête',
      busy: 'Le prestataire demande d’attendre',
      transient: 'Le prestataire n’a pas répondu correctement',
      not_published: 'Le prestataire n’a pas encore publié',
      payload: 'Le prestataire a envoyé une réponse illisible',
      sandbox: 'Le prestataire a répondu avec des données de test',
      configuration: 'La configuration est incorrecte',
    },
    error: (what, when, detail) => `${what} (${when}) : ${detail}`,
    heard: (ago) => `reçu il y a ${ago}`,
    notHeard: 'encore rien reçu',
    knownUntil: (until) => `connu jusqu’${to(until)}`,
    askedNext: (wait) => `prochain essai dans ${wait}`,
    notAsked: 'La source n’a pas encore été interrogée.',
    asked: (requests, last, failures) =>
      `Interrogée par ${count(requests, 'requête')} jusqu’ici, dernière fois : ${last}${failures > 0 ? ` ; ${count(failures, 'essai échoué', 'essais échoués')}` : ''}.`,
  },
  negotiations: {
    kinds: {
      extra_power: 'Puissance supplémentaire',
      planned_consumption: 'Consommation prévue',
      low_consumption: 'Faible consommation',
      actual_consumption: 'Consommation réelle',
      notice: 'Décision du fournisseur seul',
    },
    outcomes: {
      granted: 'Accordée',
      partly_granted: 'Accordée en partie',
      refused: 'Refusée',
      unanswered: 'Restée sans réponse',
      withdrawn: 'Retirée',
    },
    answered: 'Réponse donnée',
    ongoing: 'En cours',
    waits: 'Attend une réponse',
    late: 'Sans réponse dans le délai',
    waitsUntil: (deadline, left) => `Attend une réponse jusqu’${to(deadline)}, dans ${left}`,
    line: (power, words, during) => `${power} ${words}, ${during}`,
    moreSpans: (spans, most, during) => `${count(spans, 'autre période', 'autres périodes')}, ${most} au plus, ${during}`,
    question: (power, atMost, during, askers) => `${power} de plus${atMost ? ' au maximum' : ''}, ${during}, pour ${askers}`,
    askers: (requests, reservations) => {
      const parts = [
        requests > 0 ? count(requests, 'demande') : '',
        reservations > 0 ? count(reservations, 'réservation privée de puissance', 'réservations privées de puissance') : '',
      ];
      return parts.filter((it) => it !== '').join(' et ') || 'plus personne';
    },
    waitsForPower: 'attend cette puissance',
    lostPower: 'a perdu de la puissance',
  },
  nodeSets: {
    range: (first, last) => `${first} à ${last}`,
    ranges: (nodes, ranges, shown) => `${count(nodes, 'nœud')} en ${count(ranges, 'plage')} : ${shown}`,
  },
  offers: {
    criteria: { energy: 'énergie', cost: 'coût', co2: 'CO₂' },
    ranking: (criteria) => criteria.join(', puis '),
    best: (criteria) => (criteria.length === 3 ? 'La meilleure en tout' : upper(criteria.map((it) => best[it]).join(' et '))),
    alsoBest: (name, criteria) => `${name}, puis ${criteria.map((it) => best[it]).join(' ou ')}`,
    compromise: 'Bonne en tout',
    soonest: 'Au plus tôt',
    same: 'identique',
    less: (share) => (share ? `${share} de moins` : 'moins'),
    more: (share) => (share ? `${share} de plus` : 'plus'),
    fee: (fee) => `${fee} du coût pour la puissance supplémentaire`,
    speed: (share, state, later) => `À ${share} de la pleine vitesse${state ? ` (${state})` : ''} : finit ${later} plus tard`,
  },
  power: {
    booked: (power) => `${power} réservés`,
    mostBooked: (power) => `au plus ${power} réservés`,
    bookedAndHeld: (booked, held) => `${booked} réservés + ${held} retenus`,
    mostBookedAndHeld: (booked, both) => `au plus ${booked} réservés, au plus ${both} avec ce qui est retenu`,
    cap: (power) => `plafond ${power}`,
    leastCap: (power) => `plafond d’au moins ${power}`,
    noCap: 'plafond inconnu',
  },
  quotas: {
    each: { partition: 'chaque partition', project: 'chaque projet', jobType: 'chaque type de travail', user: 'chaque utilisateur' },
    one: {
      partition: (name) => `la partition ${name}`,
      project: (name) => `le projet ${name}`,
      jobType: (name) => `le type de travail ${name}`,
      user: (name) => `l’utilisateur ${name}`,
    },
    everybody: 'l’ensemble des utilisateurs',
    nodes: (nodes) => count(nodes, 'nœud'),
    reservations: (reservations) => count(reservations, 'réservation'),
    nodeHours: (amount) => `${amount} h de nœud`,
    co2: (amount) => `${amount} de CO₂`,
    per: { day: 'par jour', week: 'par semaine', month: 'par mois', quarter: 'par trimestre', year: 'par an', fixed: 'au total' },
    perOther: (per) => `par ${per}`,
    rulesChange: 'Les règles de quotas changent en cours de route, et le site veut que chaque réservation n’en suive qu’une.',
    allows: (rules, whom, amount, per) =>
      `${rules ? `La règle « ${rules} »` : 'Une règle du site'} autorise ${amount}${per} pour ${whom}.`,
    adjusted: (whom, amount, per) => `Un opérateur a ajusté le quota : il autorise ${amount}${per} pour ${whom}.`,
    taken: (used, _, left, asked) => `Déjà pris : ${used} ; disponible : ${left} ; demandé ici : ${asked}.`,
    counts: (during) => `Période concernée : ${during}.`,
    noStart: 'Aucun créneau possible n’est connu dans les deux mois à venir.',
    reasonAdjusted: (whom, _rest, all) => `Quota ajusté pour ${whom} : ${all}`,
    reason: (whom, _rest, all) => `Quota pour ${whom} : ${all}`,
  },
  recur: {
    days: { MO: 'lun.', TU: 'mar.', WE: 'mer.', TH: 'jeu.', FR: 'ven.', SA: 'sam.', SU: 'dim.' },
    words: (unit, interval, onDays, times, until) => {
      const [all, many] = units[unit];
      const every = interval === 1 ? `${all} ${many}` : `${all} ${interval} ${many}`;
      const names = list(onDays.map((day) => `le ${days[day]}`));
      return `${every}${names ? `, ${names}` : ''}${times ? `, ${times} fois` : ''}${until ? `, jusqu’au ${until}` : ''}`;
    },
    choose: { cost: 'le créneau le moins cher', co2: 'le créneau le plus propre', energy: 'le créneau le plus sobre' },
    noRule: 'Une règle telle que FREQ=WEEKLY;INTERVAL=2;BYDAY=MO.',
    noEnd: 'Le dernier jour.',
    noDay: 'Un jour.',
  },
  reservations: {
    states: {
      proposed: 'Pas encore choisie',
      confirmed: 'Confirmée',
      active: 'En cours',
      completed: 'Terminée',
      cancelled: 'Annulée',
      expired: 'Expirée',
      rejected: 'Refusée',
      failed: 'En échec',
      awaiting_supplier: 'En attente du fournisseur',
    },
    outOfService: (nodes) => (nodes > 0 ? `${count(nodes, 'nœud')} hors service` : 'Nœuds hors service'),
    overCap: 'Dépasse désormais le plafond de puissance',
    refused: (detail) => `Le fournisseur refuse : ${detail}`,
    nodes: (nodes) => count(nodes, 'nœud'),
    request: (nodes, duration) => `${count(nodes, 'nœud')} pendant ${duration}`,
  },
};
