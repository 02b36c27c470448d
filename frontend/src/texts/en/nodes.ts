import { nodesNode } from './nodesNode';
import { nodesOutages } from './nodesOutages';
import { nodesPowers } from './nodesPowers';
import { nodesSleep } from './nodesSleep';
import { nodesTable } from './nodesTable';

export const nodes = { ...nodesTable, ...nodesOutages, ...nodesSleep, ...nodesPowers, ...nodesNode };
