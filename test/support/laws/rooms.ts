import type { Violations } from "./laws.ts";
import type { SourceFile } from "./source-file.ts";

/** A folder below src. */
export type Room = {
  /** What happens there, in a line. */
  readonly purpose: string;
  /** What other folders may import: files, or files of inner rooms, by their path from this folder. `*` stands for all, in a room of shared words. */
  readonly doors: readonly string[];
};

/** By the folder's path. The rooms of one layer stand lowest first: a room imports only from rooms before it. */
export type Rooms = Readonly<Record<string, Room>>;

/** More than this in one folder, and nobody reads the list to its end. */
export const MAX_FILES_IN_A_ROOM = 18;
/** One file for each family of programs: a list that is looked up, not read. */
const LONG_LISTS: ReadonlySet<string> = new Set(["src/programs/families"]);

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Each folder is a room with a purpose, and each room and door that is listed is there. */
export function unlistedRooms(files: readonly SourceFile[], rooms: Rooms): Violations {
  const paths = new Set(files.map(({ path }) => path));
  const folders = new Set(files.filter(({ layer }) => layer !== "").map(({ path }) => folderOf(path)));
  const unlisted = [...folders].filter((folder) => rooms[folder] === undefined).map((folder) => `${folder}: not in the list of rooms`);
  const gone = Object.entries(rooms).flatMap(([folder, { doors }]) => {
    if (![...folders].some((path) => isBelow(path, folder))) return [`${folder}: listed, but there is no such folder`];
    return doors.filter((door) => door !== "*" && !paths.has(`${folder}/${door}`)).map((door) => `${folder}: its door ${door} is no file`);
  });
  return [...unlisted, ...gone];
}

/** A room is entered through its doors, and so is each room around it. */
export function importsPastADoor(files: readonly SourceFile[], rooms: Rooms): Violations {
  return files.flatMap((file) =>
    file.imports.flatMap(({ target }) => {
      if (target === null) return [];
      const closed = Object.entries(rooms).filter(
        ([folder, { doors }]) =>
          isBelow(target, folder) && !isBelow(file.path, folder) && !doors.includes("*") && !doors.includes(target.slice(folder.length + 1)),
      );
      return closed.map(([folder]) => `${file.path}: ${target} is no door of ${folder}`);
    }),
  );
}

/** A door that nobody outside uses is none. */
export function unusedDoors(files: readonly SourceFile[], rooms: Rooms): Violations {
  return Object.entries(rooms).flatMap(([folder, { doors }]) => {
    const entered = new Set(
      files.filter(({ path }) => !isBelow(path, folder)).flatMap(({ imports }) => imports.flatMap(({ target }) => (target === null ? [] : [target]))),
    );
    return doors.filter((door) => door !== "*" && !entered.has(`${folder}/${door}`)).map((door) => `${folder}: nobody comes in through ${door}`);
  });
}

/** Within a layer, a room knows only the rooms listed before it. The files beside the rooms may use each of them. */
export function roomsThatLookUp(files: readonly SourceFile[], rooms: Rooms): Violations {
  const order = Object.keys(rooms);
  return files.flatMap((file) => {
    const from = folderOf(file.path);
    return file.imports.flatMap(({ target }) => {
      if (target === null) return [];
      const to = folderOf(target);
      if (isBelow(from, to) || isBelow(to, from) || from.split("/")[1] !== to.split("/")[1]) return [];
      return order.indexOf(to) < order.indexOf(from) ? [] : [`${file.path}: ${to} is listed after ${from}, so it must not import ${target}`];
    });
  });
}

/** A folder shows what one can take in at a glance. */
export function crowdedRooms(files: readonly SourceFile[]): Violations {
  const counts = Map.groupBy(files, ({ path }) => folderOf(path));
  return [...counts]
    .filter(([folder, inside]) => inside.length > MAX_FILES_IN_A_ROOM && !LONG_LISTS.has(folder))
    .map(([folder, inside]) => `${folder}: ${inside.length} files, at most ${MAX_FILES_IN_A_ROOM}`);
}
