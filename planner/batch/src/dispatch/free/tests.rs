use super::*;
use crate::dispatch::system::SharedResource;
use crate::dispatch::unit::OtherUnits;

fn at(node: u32, units: u32) -> UnitsOnNode {
    UnitsOnNode { node, units }
}

/// Two nodes of 4: three units of 1 on the first and one on the second leave 1 and 3. Two more on the first are one too
/// many, and nothing of them is taken, not even from the second, which comes before it.
#[test]
fn no_more_is_taken_than_is_free() {
    let mut system = System::of_one_resource("cores", 2, 4);
    system.shared = vec![SharedResource { name: "licence".into(), amount: 5 }];
    let mut free = FreeResources::all_of(&system);
    let (one, licensed) = (UnitRequest::of(&[1, 0], 1), UnitRequest::of(&[1, 2], 1));
    free.take(&one, &[at(0, 3), at(1, 1)]).unwrap();
    assert_eq!((free.on(0), free.on(1), free.totals()), (&[1][..], &[3][..], &[4][..]));
    let before = free.clone();
    assert_eq!(free.take(&one, &[at(1, 1), at(0, 2)]), Err(Overuse(Some(0))));
    assert_eq!(free.take(&licensed, &[at(1, 3)]), Err(Overuse(None)));
    assert_eq!(free, before);
    free.take(&licensed, &[at(1, 2)]).unwrap();
    assert_eq!(free.shared(), [1]);
    assert!(!free.may_fit(&licensed, 1) && free.may_fit(&one, 2) && !free.may_fit(&one, 3));
    free.give(&licensed, &[at(1, 2)]);
    free.give(&one, &[at(0, 3), at(1, 1)]);
    assert_eq!(free, FreeResources::all_of(&system));
}

/// A job of 1 unit of 4 cores and 2 of 1 core: on node 0 it has 4 cores and 1, on node 1 one. The list says so kind by kind.
#[test]
fn units_of_several_kinds_stand_one_kind_after_the_other() {
    let mut unit = UnitRequest::of(&[4], 1);
    unit.beside = Box::new([OtherUnits { units: 2, each: UnitRequest::of(&[1], 1) }]);
    let places = [at(0, 1), at(0, 1), at(1, 1)];
    let kinds: Vec<usize> = by_kind(&unit, &places).map(|(_, places)| places.len()).collect();
    assert_eq!(kinds, [1, 2]);
    assert_eq!(*each_once(&unit, &places), [at(0, 2), at(1, 1)]);
    let system = System::of_one_resource("cores", 2, 5);
    let mut free = FreeResources::all_of(&system);
    assert_eq!(free.take(&unit, &[at(0, 1), at(0, 2)]), Err(Overuse(Some(0))));
    assert_eq!(free, FreeResources::all_of(&system));
    free.take(&unit, &places).unwrap();
    assert_eq!((free.on(0), free.on(1)), (&[0][..], &[4][..]));
    free.give(&unit, &places);
    assert_eq!(free, FreeResources::all_of(&system));
}

/// An exclusive job of 1 core has its node of 4 whole, of which it uses 1; it is refused where another is.
#[test]
fn an_exclusive_job_has_its_nodes_for_itself() {
    let system = System::of_one_resource("cores", 2, 4);
    let mut free = FreeResources::all_of(&system);
    let one = UnitRequest::of(&[1], 1);
    let alone = UnitRequest { exclusive: true, ..one.clone() };
    free.take(&one, &[at(1, 1)]).unwrap();
    assert_eq!((free.room(&alone, 0), free.room(&alone, 1)), (4, 0));
    assert_eq!(free.take(&alone, &[at(1, 1)]), Err(Overuse(Some(1))));
    free.take(&alone, &[at(0, 1)]).unwrap();
    assert_eq!((free.on(0), free.totals(), free.room(&one, 0)), (&[0][..], &[3][..], 0));
    assert_eq!(free.used_on(0).chain(free.used_on(1)).collect::<Vec<_>>(), [1, 1]);
    free.give(&alone, &[at(0, 1)]);
    free.give(&one, &[at(1, 1)]);
    assert_eq!(free, FreeResources::all_of(&system));
}

/// Of two types the second has a property.
#[test]
fn a_property_must_be_there() {
    let text = "[[nodes]]\ncount = 1\ncores = 4\n[[nodes]]\ncount = 1\ncores = 4\nproperties = [\"rack1\"]\n";
    let mut free = FreeResources::all_of(&System::parse(text).unwrap());
    let unit = UnitRequest { properties: 1, ..UnitRequest::of(&[1], 1) };
    assert_eq!((free.room(&unit, 0), free.room(&unit, 1)), (0, 4));
    assert_eq!(free.take(&unit, &[at(0, 1)]), Err(Overuse(Some(0))));
    free.take(&unit, &[at(1, 4)]).unwrap();
}
