import type { agreement as texts } from '../en/agreement';
import { count } from './count';
import { list } from './list';
import { on } from './when';

export const agreement: typeof texts = {
  disagree: (sources, quantity, during, apart) =>
    `${list(sources)} divergent sur ${quantity}, ${during}${apart && `, pendant ${apart} de cette période`}.`,
  says: (source, value) => `${source} annonce ${value}`,
  furthest: (during, values) => `L’écart est maximal ${during} : ${list(values)}.`,
  difference: (difference) => `Il est de ${difference}.`,
  ratios: 'Les rapports habituels entre sources sont pris en compte, si le site le veut.',
  takes: {
    order: (value, source) => `Le calendrier retient ${value} de ${source}, la première source à jour dans l’ordre de la configuration.`,
    median: (value, source) => `Le calendrier retient ${value} de ${source}, la médiane.`,
    medianOrOrder: (value, source) =>
      `Le calendrier retient ${value} de ${source} : par la médiane si trois sources ont une valeur, sinon par l’ordre de la configuration.`,
    site: (value) => `Le calendrier retient ${value}, une estimation de ce site.`,
    nothing: 'Le calendrier n’y a aucune valeur.',
  },
  since: (time) => `Divergence constatée ${on(time)}.`,
  more: (others) => `${count(others, 'autre divergence')}`,
  against: (others, during) =>
    others.length > 1 ? `${list(['Cette source', ...others])} ne concordent pas toutes, ${during}.` : `Elle diverge de ${list(others)}, ${during}.`,
  right: {
    title: (quantity) => `Qui avait raison : ${quantity}`,
    nothing: (during) =>
      `Rien n’est encore connu, ${during}. Deux sources doivent avoir annoncé quelque chose des mêmes heures, et l’une doit les avoir mesurées.`,
    judged: (during, judged) => `On sait ce qui s’est réalisé pour ${judged}, ${during}.`,
    never: 'Les sources concordaient.',
    apart: (times, apart) => `Les sources ont divergé ${times} fois, pendant ${apart} en tout.`,
    table: 'Sources selon leur exactitude',
    columns: {
      source: 'Source', judged: 'Temps évalué', error: 'Erreur absolue moyenne', bias: 'Biais', nearest: 'La plus proche en cas de divergence',
      apart: 'Erreur absolue moyenne en cas de divergence', ratio: 'Rapport habituel',
    },
    itself: (length) => `ses propres mesures : ${length}`,
    nearest: (nearest, all, share) => `${nearest} sur ${all} (${share})`,
    explained:
      'Chaque source est comparée à ce qui a été mesuré ensuite. Un biais positif signifie qu’elle annonçait trop. ' +
      'Une source comparée à ses propres mesures ne se trompe que de ce qu’elle a corrigé. ' +
      'Le rapport habituel est celui à la première source : ce qui ne diffère que par lui compte comme concordance.',
  },
};
