import type { Texts } from '../language.svelte';
import { count } from './count';
import { on, to } from './when';

export const overviewNeeds: Texts['overview']['needs'] = {
  because: (what, why) => (why ? `${what}\u00a0: ${why}.` : `${what}.`),
  heardAgo: (where, length) => `${where}, dernière réponse il y a ${length}`,
  heardLast: (where, when) => `${where}, dernière réponse ${on(when)}`,
  andMore: (names, more) => `${names} et ${count(more, 'autre')}`,
  slurm: {
    of: (cluster) => `du cluster ${cluster}`,
    states: {
      unreachable: 'Slurm ne répond pas',
      denied: 'Slurm refuse le jeton',
      refused: 'Slurm n’est pas le cluster de la configuration',
      unsupported: 'Cette version de Slurm n’est pas prise en charge',
      unreadable: 'Les réponses de Slurm sont illisibles',
    },
    otherState: (state) => `État de Slurm\u00a0: ${state}`,
    check:
      'Cherchez la panne avec wattbook slurm check. D’ici là, les réservations se poursuivent avec ce que l’on sait de Slurm.',
    notWell: 'Slurm répond, mais tout n’est pas en ordre',
    compare: 'Comparez les deux côtés avec wattbook slurm diff.',
    notAsBooked: (number) =>
      `${count(number, 'réservation n’est pas', 'réservations ne sont pas')} dans Slurm comme prévu.`,
    mend: 'Cherchez la cause avec wattbook slurm diff, puis corrigez dans Slurm.',
    unknownNodes: (number) => `Slurm ne connaît pas ${count(number, 'nœud')}.`,
    putNodes: 'Déclarez les nœuds sous les noms que Slurm leur donne.',
  },
  cap: {
    safeMode: 'Le contact avec le fournisseur est perdu\u00a0: le plafond de repli s’applique.',
    until: (when) => `Plafond de puissance, jusqu’${to(when)}`,
    todo: 'Cherchez pourquoi la source du plafond de puissance ne répond pas, ou publiez le plafond en vigueur.',
  },
  negotiation: {
    unanswered: 'Le fournisseur n’a pas répondu à une demande de puissance supplémentaire.',
    answer: 'Répondez au nom du fournisseur.',
    answerUntil: (when) => `Répondez au nom du fournisseur avant ${on(when)}\u00a0; le silence vaut refus.`,
  },
  action: {
    waits: (number) =>
      `${count(number, 'action d’alimentation attend', 'actions d’alimentation attendent')} une approbation.`,
    todo: 'Approuvez ou refusez\u00a0: rien ne change d’état avant.',
  },
  nodes: {
    out: (number, reason) => `${count(number, 'nœud est', 'nœuds sont')} hors service\u00a0: ${reason}.`,
    held: (where, reservations) =>
      `${where}\u00a0; ${count(reservations, 'réservation en utilisait', 'réservations en utilisaient')} une partie`,
    todo: 'Remettez-les en état. Ils seront à nouveau réservables dès qu’ils seront vus en marche.',
  },
  meter: {
    silent: (why) => `Un compteur ne répond pas\u00a0: ${why}.`,
    where: (id, kind) => `Compteur ${id} (${kind})`,
    todo: 'Vérifiez qu’il fonctionne, ainsi que son adresse et son secret dans [[meters]]. En attendant, son énergie est estimée.',
  },
  webhook: {
    fails: 'Un webhook n’accepte pas les événements',
    where: (id, url) => `Webhook ${id}, ${url}`,
    gone: 'Il a répondu qu’il n’existe plus. Retirez-le de la configuration, ou rétablissez-le et redémarrez le service.',
    seeReceiver: 'Vérifiez que son destinataire fonctionne.',
    triedAgain: (when) => `Vérifiez que son destinataire fonctionne\u00a0; prochain essai ${on(when)}.`,
  },
  power: {
    above: (drawn, planned) => `Leur consommation, ${drawn}, dépasse les ${planned} prévus.`,
    allNodes: (since) => `Tous les nœuds, depuis ${on(since)}`,
    nodesOf: (owner, id, since) => `Nœuds de ${owner}, ${id}, depuis ${on(since)}`,
    todo: 'Vérifiez ce qui s’y exécute, et si la puissance de ces nœuds est calibrée.',
  },
  reservation: {
    lost: (what) => `Votre réservation n’a plus ce qu’il lui faut\u00a0: ${what}.`,
    todo: 'Choisissez un autre créneau, ou annulez-la.',
  },
  feed: {
    failing: 'Le dernier essai d’une source a échoué',
    late: 'Les données d’une source sont trop anciennes',
    never: 'Une source n’a jamais répondu',
    where: (quantity, provider, id) => `${quantity}, selon ${provider} (${id})`,
    todo: 'Vérifiez que le prestataire fonctionne, puis réinterrogez-le.',
    todos: {
      refused: 'Vérifiez son adresse et son secret dans [[feeds]], et que le prestataire vous donne toujours accès.',
      busy: 'Attendez, ou interrogez-le moins souvent\u00a0: le prestataire demande moins de requêtes.',
      transient: 'Vérifiez que le prestataire et le réseau fonctionnent, puis réinterrogez-le.',
      not_published: 'Cherchez auprès du prestataire pourquoi il n’a rien publié.',
      payload: 'Demandez au prestataire de corriger ses données, ou publiez le calendrier à la main.',
      partly_read: 'Demandez au fournisseur de corriger ou d’annuler ce qui est illisible.',
      sandbox: 'Obtenez l’accès aux vraies données du prestataire\u00a0: il envoie des données de test.',
      configuration: 'Corrigez la configuration de cette source, puis redémarrez le service.',
    },
  },
  gap: {
    unknown: (span) => `Aucune valeur n’est connue ${span}\u00a0: rien ne peut être planifié sur cette période.`,
    where: (quantity, sources) => `${quantity}, selon ${sources.join(', sinon ')}`,
    todo: 'Rétablissez ses sources, ou publiez le calendrier de cette période.',
  },
};
