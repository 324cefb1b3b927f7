#[automatically_derived]
#[allow(unused_variables, deprecated)]
impl ::worldspace_host::model::WipType for Reason {
    fn describe(
        types: &mut ::worldspace_host::model::TypeDeclarations,
    ) -> ::worldspace_host::model::Type {
        types
            .named::<
                Self,
            >(
                "Reason",
                ::worldspace_host::model::typed::expand::documented(
                    &[" Why an issue was closed."],
                ),
                |types| ::worldspace_host::model::Type::cases(
                    ::std::vec::Vec::from([
                        ::worldspace_host::model::typed::expand::enum_case("done", &[]),
                        ::worldspace_host::model::typed::expand::enum_case(
                            "duplicate",
                            &[" It was told before."],
                        ),
                        ::worldspace_host::model::typed::expand::enum_case("never", &[]),
                    ]),
                ),
            )
    }
    fn into_value(
        self,
    ) -> ::core::result::Result<
        ::worldspace_host::model::Value,
        ::worldspace_host::model::Fault,
    > {
        ::core::result::Result::Ok(
            ::worldspace_host::model::Value::from(
                match self {
                    Self::Done => "done",
                    Self::Duplicate => "duplicate",
                    Self::WontFix => "never",
                },
            ),
        )
    }
    fn from_value(
        value: &::worldspace_host::model::Value,
    ) -> ::core::result::Result<Self, ::worldspace_host::model::Fault> {
        match ::worldspace_host::model::typed::expand::case_of_enum(value)? {
            "done" => ::core::result::Result::Ok(Self::Done),
            "duplicate" => ::core::result::Result::Ok(Self::Duplicate),
            "never" => ::core::result::Result::Ok(Self::WontFix),
            other => {
                ::core::result::Result::Err(
                    ::worldspace_host::model::typed::expand::unknown_case(
                        other,
                        &["done", "duplicate", "never"],
                    ),
                )
            }
        }
    }
}
#[automatically_derived]
#[allow(unused_variables, deprecated)]
impl ::worldspace_host::model::WipType for Nothing {
    fn describe(
        types: &mut ::worldspace_host::model::TypeDeclarations,
    ) -> ::worldspace_host::model::Type {
        types
            .named::<
                Self,
            >(
                "Nothing",
                ::worldspace_host::model::typed::expand::documented(&[]),
                |types| ::worldspace_host::model::Type::cases(::std::vec::Vec::from([])),
            )
    }
    fn into_value(
        self,
    ) -> ::core::result::Result<
        ::worldspace_host::model::Value,
        ::worldspace_host::model::Fault,
    > {
        match self {}
    }
    fn from_value(
        value: &::worldspace_host::model::Value,
    ) -> ::core::result::Result<Self, ::worldspace_host::model::Fault> {
        match ::worldspace_host::model::typed::expand::case_of_enum(value)? {
            other => {
                ::core::result::Result::Err(
                    ::worldspace_host::model::typed::expand::unknown_case(other, &[]),
                )
            }
        }
    }
}
#[automatically_derived]
#[allow(unused_variables, deprecated)]
impl ::worldspace_host::model::WipType for Bare {
    fn describe(
        types: &mut ::worldspace_host::model::TypeDeclarations,
    ) -> ::worldspace_host::model::Type {
        types
            .named::<
                Self,
            >(
                "Bare",
                ::worldspace_host::model::typed::expand::documented(&[]),
                |types| ::worldspace_host::model::Type::union([
                    ::worldspace_host::model::typed::expand::union_case(
                        "one",
                        &[],
                        ::core::option::Option::None,
                    ),
                ]),
            )
    }
    fn into_value(
        self,
    ) -> ::core::result::Result<
        ::worldspace_host::model::Value,
        ::worldspace_host::model::Fault,
    > {
        match self {
            Self::One => {
                ::worldspace_host::model::typed::expand::case(
                    "one",
                    ::core::option::Option::None,
                )
            }
        }
    }
    fn from_value(
        value: &::worldspace_host::model::Value,
    ) -> ::core::result::Result<Self, ::worldspace_host::model::Fault> {
        let (case, payload) = ::worldspace_host::model::typed::expand::case_of_union(
            value,
        )?;
        match case {
            "one" => {
                ::worldspace_host::model::typed::expand::no_payload("one", payload)
                    .map(|()| Self::One)
            }
            other => {
                ::core::result::Result::Err(
                    ::worldspace_host::model::typed::expand::unknown_case(
                        other,
                        &["one"],
                    ),
                )
            }
        }
    }
}
#[automatically_derived]
#[allow(unused_variables, deprecated)]
impl ::worldspace_host::model::WipType for CloseResult {
    fn describe(
        types: &mut ::worldspace_host::model::TypeDeclarations,
    ) -> ::worldspace_host::model::Type {
        types
            .named::<
                Self,
            >(
                "Close result",
                ::worldspace_host::model::typed::expand::documented(&[]),
                |types| ::worldspace_host::model::Type::union([
                    ::worldspace_host::model::typed::expand::union_case(
                        "closed",
                        &[],
                        ::core::option::Option::None,
                    ),
                    ::worldspace_host::model::typed::expand::union_case(
                        "blocked",
                        &[" Other issues must be closed first."],
                        ::core::option::Option::Some(
                            ::worldspace_host::model::Type::record([
                                ::worldspace_host::model::typed::expand::field(
                                    "dependencies",
                                    &[" Which."],
                                    <Vec<
                                        EntryPath,
                                    > as ::worldspace_host::model::WipField>::REQUIRED,
                                    <Vec<
                                        EntryPath,
                                    > as ::worldspace_host::model::WipField>::describe_field(
                                        types,
                                    ),
                                ),
                                ::worldspace_host::model::typed::expand::field(
                                    "type",
                                    &[],
                                    <Option<
                                        String,
                                    > as ::worldspace_host::model::WipField>::REQUIRED,
                                    <Option<
                                        String,
                                    > as ::worldspace_host::model::WipField>::describe_field(
                                        types,
                                    ),
                                ),
                            ]),
                        ),
                    ),
                    ::worldspace_host::model::typed::expand::union_case(
                        "refused",
                        &[],
                        ::core::option::Option::Some(
                            <Refused as ::worldspace_host::model::WipType>::describe(
                                types,
                            ),
                        ),
                    ),
                ]),
            )
    }
    fn into_value(
        self,
    ) -> ::core::result::Result<
        ::worldspace_host::model::Value,
        ::worldspace_host::model::Fault,
    > {
        match self {
            Self::Closed => {
                ::worldspace_host::model::typed::expand::case(
                    "closed",
                    ::core::option::Option::None,
                )
            }
            Self::Blocked { dependencies: field_0, r#type: field_1 } => {
                ::worldspace_host::model::typed::expand::case(
                    "blocked",
                    ::core::option::Option::Some(
                        ::worldspace_host::model::typed::expand::record([
                                (
                                    "dependencies",
                                    <Vec<
                                        EntryPath,
                                    > as ::worldspace_host::model::WipField>::into_field(
                                        field_0,
                                    ),
                                ),
                                (
                                    "type",
                                    <Option<
                                        String,
                                    > as ::worldspace_host::model::WipField>::into_field(
                                        field_1,
                                    ),
                                ),
                            ])
                            .map(::worldspace_host::model::Value::Record),
                    ),
                )
            }
            Self::Refused(payload) => {
                ::worldspace_host::model::typed::expand::case(
                    "refused",
                    ::core::option::Option::Some(
                        <Refused as ::worldspace_host::model::WipType>::into_value(
                            payload,
                        ),
                    ),
                )
            }
        }
    }
    fn from_value(
        value: &::worldspace_host::model::Value,
    ) -> ::core::result::Result<Self, ::worldspace_host::model::Fault> {
        let (case, payload) = ::worldspace_host::model::typed::expand::case_of_union(
            value,
        )?;
        match case {
            "closed" => {
                ::worldspace_host::model::typed::expand::no_payload("closed", payload)
                    .map(|()| Self::Closed)
            }
            "blocked" => {
                let fields = ::worldspace_host::model::typed::expand::payload_fields(
                    "blocked",
                    payload,
                )?;
                ::core::result::Result::Ok(Self::Blocked {
                    dependencies: fields
                        .get(
                            "dependencies",
                            <Vec<
                                EntryPath,
                            > as ::worldspace_host::model::WipField>::from_field,
                        )?,
                    r#type: fields
                        .get(
                            "type",
                            <Option<
                                String,
                            > as ::worldspace_host::model::WipField>::from_field,
                        )?,
                })
            }
            "refused" => {
                ::worldspace_host::model::typed::expand::payload(
                        "refused",
                        payload,
                        <Refused as ::worldspace_host::model::WipType>::from_value,
                    )
                    .map(Self::Refused)
            }
            other => {
                ::core::result::Result::Err(
                    ::worldspace_host::model::typed::expand::unknown_case(
                        other,
                        &["closed", "blocked", "refused"],
                    ),
                )
            }
        }
    }
}
#[automatically_derived]
#[allow(unused_variables, deprecated)]
impl ::worldspace_host::model::WipType for Body {
    fn describe(
        types: &mut ::worldspace_host::model::TypeDeclarations,
    ) -> ::worldspace_host::model::Type {
        types
            .inline::<
                Self,
            >(|types| ::worldspace_host::model::Type::record([
                ::worldspace_host::model::typed::expand::field(
                    "body",
                    &[],
                    <String as ::worldspace_host::model::WipField>::REQUIRED,
                    <String as ::worldspace_host::model::WipField>::describe_field(types),
                ),
                ::worldspace_host::model::typed::expand::field(
                    "updatedAt",
                    &[],
                    <Option<String> as ::worldspace_host::model::WipField>::REQUIRED,
                    <Option<
                        String,
                    > as ::worldspace_host::model::WipField>::describe_field(types),
                ),
            ]))
    }
    fn into_value(
        self,
    ) -> ::core::result::Result<
        ::worldspace_host::model::Value,
        ::worldspace_host::model::Fault,
    > {
        let Self { body: field_0, updated_at: field_1 } = self;
        ::worldspace_host::model::typed::expand::record([
                (
                    "body",
                    <String as ::worldspace_host::model::WipField>::into_field(field_0),
                ),
                (
                    "updatedAt",
                    <Option<
                        String,
                    > as ::worldspace_host::model::WipField>::into_field(field_1),
                ),
            ])
            .map(::worldspace_host::model::Value::Record)
    }
    fn from_value(
        value: &::worldspace_host::model::Value,
    ) -> ::core::result::Result<Self, ::worldspace_host::model::Fault> {
        let fields = ::worldspace_host::model::typed::expand::Fields::of(value)?;
        ::core::result::Result::Ok(Self {
            body: fields
                .get(
                    "body",
                    <String as ::worldspace_host::model::WipField>::from_field,
                )?,
            updated_at: fields
                .get(
                    "updatedAt",
                    <Option<String> as ::worldspace_host::model::WipField>::from_field,
                )?,
        })
    }
}
#[automatically_derived]
#[allow(unused_variables, deprecated)]
impl ::worldspace_host::model::WipType for Key {
    fn describe(
        types: &mut ::worldspace_host::model::TypeDeclarations,
    ) -> ::worldspace_host::model::Type {
        types
            .named::<
                Self,
            >(
                "Key",
                ::worldspace_host::model::typed::expand::documented(
                    &[" In a block.", "", "   - indented", " "],
                ),
                |types| <String as ::worldspace_host::model::WipType>::describe(types),
            )
    }
    fn into_value(
        self,
    ) -> ::core::result::Result<
        ::worldspace_host::model::Value,
        ::worldspace_host::model::Fault,
    > {
        <String as ::worldspace_host::model::WipType>::into_value(self.0)
    }
    fn from_value(
        value: &::worldspace_host::model::Value,
    ) -> ::core::result::Result<Self, ::worldspace_host::model::Fault> {
        <String as ::worldspace_host::model::WipType>::from_value(value).map(Self)
    }
}
#[automatically_derived]
#[allow(unused_variables, deprecated)]
impl ::worldspace_host::model::WipType for Marker {
    fn describe(
        types: &mut ::worldspace_host::model::TypeDeclarations,
    ) -> ::worldspace_host::model::Type {
        types
            .named::<
                Self,
            >(
                "Marker",
                ::worldspace_host::model::typed::expand::documented(&[]),
                |types| ::worldspace_host::model::Type::UNIT,
            )
    }
    fn into_value(
        self,
    ) -> ::core::result::Result<
        ::worldspace_host::model::Value,
        ::worldspace_host::model::Fault,
    > {
        ::core::result::Result::Ok(::worldspace_host::model::Value::Unit)
    }
    fn from_value(
        value: &::worldspace_host::model::Value,
    ) -> ::core::result::Result<Self, ::worldspace_host::model::Fault> {
        <() as ::worldspace_host::model::WipType>::from_value(value).map(|()| Self)
    }
}
#[automatically_derived]
#[allow(unused_variables, deprecated)]
impl ::worldspace_host::model::WipType for Empty {
    fn describe(
        types: &mut ::worldspace_host::model::TypeDeclarations,
    ) -> ::worldspace_host::model::Type {
        types
            .named::<
                Self,
            >(
                "Empty",
                ::worldspace_host::model::typed::expand::documented(
                    &[include_str!("empty.md")],
                ),
                |types| ::worldspace_host::model::Type::record([]),
            )
    }
    fn into_value(
        self,
    ) -> ::core::result::Result<
        ::worldspace_host::model::Value,
        ::worldspace_host::model::Fault,
    > {
        let Self {} = self;
        ::worldspace_host::model::typed::expand::record([])
            .map(::worldspace_host::model::Value::Record)
    }
    fn from_value(
        value: &::worldspace_host::model::Value,
    ) -> ::core::result::Result<Self, ::worldspace_host::model::Fault> {
        let fields = ::worldspace_host::model::typed::expand::Fields::of(value)?;
        ::core::result::Result::Ok(Self {})
    }
}
