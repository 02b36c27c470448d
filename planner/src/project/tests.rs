//! Trees of projects, and what becomes of them.

use super::*;

fn put(name: &str, parent: Option<&str>) -> ProjectEdit {
    ProjectEdit::Put { name: name.to_owned(), parent: parent.map(str::to_owned) }
}

fn member(project: &str, user: &str, is_manager: bool) -> ProjectEdit {
    ProjectEdit::PutMember { project: project.to_owned(), user: user.to_owned(), is_manager }
}

fn after(edits: &[ProjectEdit]) -> Projects {
    edits.iter().fold(Projects::default(), |projects, edit| projects.after(edit).unwrap())
}

/// Physics has ocean and ice, and ice has sheets.
fn physics() -> Projects {
    after(&[
        put("physics", None),
        put("ocean", Some("physics")),
        put("ice", Some("physics")),
        put("sheets", Some("ice")),
        member("physics", "mary", true),
        member("ice", "ivan", true),
        member("ocean", "ada", false),
        member("sheets", "ada", false),
    ])
}

fn imported(name: &str, parent: Option<&str>, members: &[(&str, bool)]) -> ImportedProject {
    ImportedProject {
        name: name.to_owned(),
        parent: parent.map(str::to_owned),
        members: members.iter().map(|&(user, manages)| (user.to_owned(), manages)).collect(),
    }
}

fn import(projects: Vec<ImportedProject>) -> ProjectEdit {
    ProjectEdit::Import { source: ProjectSource::Slurm, projects }
}

fn names(projects: &BTreeSet<String>) -> Vec<&str> {
    projects.iter().map(String::as_str).collect()
}

#[test]
fn who_manages_a_project_manages_its_parts() {
    let physics = physics();
    let of_users = physics.of_users();
    let of = |user: &str| of_users.get(user).cloned().unwrap_or_default();
    assert_eq!(names(&of("mary").managed), ["ice", "ocean", "physics", "sheets"]);
    assert_eq!(names(&of("mary").own), ["physics"]);
    assert_eq!(names(&of("ivan").managed), ["ice", "sheets"]);
    assert_eq!(names(&of("ada").own), ["ocean", "sheets"]);
    assert!(of("ada").managed.is_empty() && of("bob").own.is_empty());
    assert!(of("ivan").include("sheets") && !of("ivan").include("ocean"));
}

#[test]
fn a_change_that_cannot_be_is_refused_by_name() {
    let physics = physics();
    let owned = str::to_owned;
    for (edit, error) in [
        (put("ice", Some("sheets")), ProjectError::Circle(owned("ice"))),
        (put("ice", Some("ice")), ProjectError::Circle(owned("ice"))),
        (
            put("snow", Some("weather")),
            ProjectError::NoParent { project: owned("snow"), parent: owned("weather") },
        ),
        (
            ProjectEdit::Remove { name: owned("ice") },
            ProjectError::HasParts { project: owned("ice"), part: owned("sheets") },
        ),
        (ProjectEdit::Remove { name: owned("snow") }, ProjectError::Unknown(owned("snow"))),
        (member("snow", "ada", false), ProjectError::Unknown(owned("snow"))),
        (
            ProjectEdit::RemoveMember { project: owned("ice"), user: owned("ada") },
            ProjectError::NoMember { project: owned("ice"), user: owned("ada") },
        ),
        (
            import(vec![imported("a", None, &[]), imported("a", None, &[])]),
            ProjectError::Twice(owned("a")),
        ),
        (
            import(vec![imported("a", Some("b"), &[]), imported("b", Some("a"), &[])]),
            ProjectError::Circle(owned("a")),
        ),
    ] {
        assert_eq!(physics.after(&edit), Err(error));
    }
}

#[test]
fn managers_take_out_members_and_no_managers() {
    let physics = physics().after(&member("physics", "ada", false)).unwrap();
    let remove = |user: &str| ProjectEdit::RemoveMember {
        project: "physics".to_owned(),
        user: user.to_owned(),
    };
    assert!(physics.after_by_manager(&remove("ada")).is_ok());
    assert!(physics.after_by_manager(&member("physics", "bob", false)).is_ok());
    for edit in [remove("mary"), member("physics", "mary", false)] {
        let (project, user) = ("physics".to_owned(), "mary".to_owned());
        let refused = Err(ProjectError::ManagerStays { project, user });
        assert_eq!(physics.after_by_manager(&edit), refused);
        assert!(physics.after(&edit).is_ok(), "operators may");
    }
}

#[test]
fn an_import_says_all_that_its_source_says_and_nothing_of_others() {
    let first = import(vec![
        imported("ocean", None, &[("ada", true), ("bob", false)]),
        imported("biology", None, &[("eve", false)]),
        imported("cells", Some("biology"), &[]),
    ]);
    let projects = physics().after(&first).unwrap();
    // Ocean is there by somebody else's word already, and so is Ada in it; Bob is new.
    let ocean = projects.get("ocean").unwrap();
    assert_eq!((ocean.parent.as_deref(), ocean.source), (Some("physics"), ProjectSource::Api));
    assert!(!ocean.members["ada"].is_manager);
    assert_eq!(ocean.members["bob"].source, ProjectSource::Slurm);
    assert_eq!(projects.get("cells").unwrap().parent.as_deref(), Some("biology"));

    // The same again changes nothing; without biology and Bob they are gone.
    assert_eq!(projects.after(&first).unwrap(), projects);
    let second = import(vec![imported("cells", None, &[])]);
    let projects = projects.after(&second).unwrap();
    assert!(projects.get("biology").is_none() && projects.get("cells").unwrap().parent.is_none());
    assert!(!projects.get("ocean").unwrap().members.contains_key("bob"));
    // Nothing of Slurm's is left after an empty import.
    assert_eq!(projects.after(&import(Vec::new())).unwrap(), physics());
}

#[test]
fn what_others_added_to_an_imported_project_keeps_it() {
    let projects = after(&[
        import(vec![imported("biology", None, &[("eve", false)]), imported("cells", None, &[])]),
        member("biology", "ada", false),
        put("yeast", Some("cells")),
        import(Vec::new()),
    ]);
    let biology = projects.get("biology").unwrap();
    assert_eq!(biology.source, ProjectSource::Api);
    assert_eq!(biology.members.keys().collect::<Vec<_>>(), ["ada"]);
    assert_eq!(projects.get("yeast").unwrap().parent.as_deref(), Some("cells"));
}
